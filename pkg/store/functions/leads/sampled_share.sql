-- The share of leads that will meet all criteria of a sample: what was seen, or, where none was, as if one had nothing to
-- do with the other.
create or replace function app.sampled_share(p_sample jsonb) returns double precision
  language sql immutable
  as $$ select greatest((p_sample ->> 'all')::float8 / (p_sample ->> 'sample')::int,
    (select exp(sum(ln(greatest(value::float8, 0.5) / (p_sample ->> 'sample')::int))) from jsonb_each_text(p_sample -> 'criteria'))) $$;
revoke execute on function app.sampled_share(jsonb) from public;
grant execute on function app.sampled_share(jsonb) to outrider_definer;
