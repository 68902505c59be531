-- Returns ids a thousand at a time, each part as an array of JSON: what happens to many at once is told by parts.
create or replace function app.thousands(p_ids uuid[]) returns setof jsonb
  language sql immutable
  as $$
    select to_jsonb(p_ids[n : n + 999])
    from generate_series(1, cardinality(p_ids), 1000) n
  $$;

grant execute on function app.thousands(uuid[]) to outrider_definer;
