-- Undoes sends that were never dispatched: state failed, outcome cancelled, units and keys given back (catalog:
-- sendAttempt). Others of `p_sends` are left alone. The caller has checked whose they are and holds their runs; locks
-- the sends, then what app.return_sends does. `p_now`: epoch ms UTC, product time.
create or replace function app.cancel_sends(p_sends uuid[], p_now bigint) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare undone uuid[];
  begin
    with u as (
      update send
      set state = 'failed', outcome = 'cancelled', settled_at = p_now
      where id = any (p_sends) and state in ('planned', 'claimed')
      returning id
    )
    select array_agg(id)
    into undone
    from u;
    if undone is not null then perform app.return_sends(undone); end if;
  end $$;

alter function app.cancel_sends(uuid[], bigint) owner to outrider_definer;
revoke execute on function app.cancel_sends(uuid[], bigint) from public;
