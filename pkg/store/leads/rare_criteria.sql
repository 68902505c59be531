-- Returns the names of criteria that the index is asked for, rarest first (p_sample: app.lead_sample). It leaves out
-- what more than half of the sample meets, for which the index would be read in vain, and 'words' from the share
-- p_common on, since a word is the beginning of others, all of which are read. The rarest one is always there; {}
-- without criteria.
create or replace function app.rare_criteria(p_sample jsonb, p_common double precision) returns text[]
  language sql immutable
  as $$
    with ranked as (
      select key as name, value::int as met, row_number() over (order by value::int, key) as place
      from jsonb_each_text(p_sample -> 'criteria')
    )
    select coalesce(array_agg(name order by place), '{}')
    from ranked
    where place = 1
      or met < (p_sample ->> 'sample')::int * case name when 'words' then p_common else 0.5 end
  $$;

revoke execute on function app.rare_criteria(jsonb, double precision) from public;
grant execute on function app.rare_criteria(jsonb, double precision) to outrider_definer;
