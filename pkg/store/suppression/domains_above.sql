-- Returns a domain and the domains above it, but for the top one: mail.acme.com is also acme.com.
create or replace function app.domains_above(p_domain text) returns text[]
  language sql immutable parallel safe
  as $$
    select coalesce(array_agg(array_to_string(part[n:], '.')), '{}')
    from (select string_to_array(p_domain, '.') as part) x, generate_series(1, cardinality(part) - 1) n
  $$;

grant execute on function app.domains_above(text) to outrider_app, outrider_definer, outrider_executor;
