-- Says whether the pool is less than half of all leads, so that asking the index for it spares more than it costs. It
-- takes the planner's counts, and is false while there are none.
create or replace function app.pool_is_small() returns boolean
  language sql stable
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(
      (
        select p.reltuples > 0 and p.reltuples < l.reltuples / 2
        from pg_class p, pg_class l
        where p.oid = 'outrider.lead_shared'::regclass and l.oid = 'outrider.lead'::regclass
      ),
      false
    )
  $$;

revoke execute on function app.pool_is_small() from public;
grant execute on function app.pool_is_small() to outrider_definer;
