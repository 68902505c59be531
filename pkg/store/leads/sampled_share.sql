-- Returns the share of leads, 0 to 1, that will meet a whole search, by a sample of them (app.lead_sample): what the
-- sample showed, or, where that was next to nothing, the product of what its criteria meet alone. It is above 0 where
-- there are criteria.
create or replace function app.sampled_share(p_sample jsonb) returns double precision
  language sql immutable
  as $$
    select greatest(
      (p_sample ->> 'all')::float8 / (p_sample ->> 'sample')::int,
      (
        select exp(sum(ln(greatest(value::float8, 0.5) / (p_sample ->> 'sample')::int)))
        from jsonb_each_text(p_sample -> 'criteria')
      )
    )
  $$;

revoke execute on function app.sampled_share(jsonb) from public;
grant execute on function app.sampled_share(jsonb) to outrider_definer;
