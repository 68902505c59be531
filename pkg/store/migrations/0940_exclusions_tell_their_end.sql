-- It answers more now: when each exclusion ends.
drop function if exists app.exclusion_hits(text, text, app.exclusion_form[], bigint);
