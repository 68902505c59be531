-- As app.plan_idle, for executors of the version before, which know neither schedules nor actions: what they are told
-- of has none of them, while the wake that they leave has all.
create or replace function app.rest(
  p_now bigint,
  OUT next_due bigint,
  OUT unparked int,
  OUT open_sends int,
  OUT unknown_sends int,
  OUT next_lookup_ms double precision
)
  returns record
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select x.next_due, x.unparked, x.open_sends, x.unknown_sends, x.next_lookup_ms
    from app.plan_idle(p_now, '{}', '{}') x
  $$;

alter function app.rest(bigint) owner to outrider_definer;
revoke execute on function app.rest(bigint) from public;
grant execute on function app.rest(bigint) to outrider_executor, outrider_owner;
