-- What a claim was granted is taken by app.take_wishes, whichever way the claim was judged.
drop function if exists app.take_sends(text, bigint, jsonb, uuid[]);
