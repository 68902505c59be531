-- Undoes sends that never left: state failed, outcome cancelled, units and keys given back (catalog: sendAttempt). It
-- leaves others of `p_sends` alone. `p_now`: epoch ms UTC, product time. The caller has checked whose they are and
-- holds their runs. Locks: the sends, then what app.return_sends locks.
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
