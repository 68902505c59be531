-- Returns the evidence of a send without what was said: when, which look-up or decision, and by whom stays.
create or replace function app.evidence_without_texts(p_evidence jsonb) returns jsonb
  language sql immutable
  as $$
    select coalesce(jsonb_agg(e.said - 'text' order by e.place), '[]')
    from jsonb_array_elements(p_evidence) with ordinality e (said, place)
  $$;

revoke execute on function app.evidence_without_texts(jsonb) from public;
grant execute on function app.evidence_without_texts(jsonb) to outrider_definer;
