-- Ends connections that the network denies: it refused a message or an endorsement for want of one (an InMail needs
-- none). It does so for all workspaces of the account. `connected_at` stays: with state `none` it says that there was
-- a connection, which outranks what runs remember of it. A connection that was accepted after the action had been
-- handed over is newer than the refusal and stays.
-- p_sends: settled sends; others than such refusals are left alone. app.settle_sends calls it after it has locked
-- runs and accounts.
create or replace function app.end_connections(p_sends uuid[]) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    update relation r
    set state = 'none', invitation_id = null, requested_at = null
    from (
      select o.account_id, o.person_id
      from send s
      join relation o on o.account_id = s.account_id and o.person_id = s.person_id
      where s.id = any (p_sends)
        and s.state = 'failed'
        and s.outcome = 'not_connected'
        and s.action in ('message', 'endorse')
        and o.state = 'connected'
        and coalesce(o.connected_at, 0) <= coalesce(s.dispatched_at, s.claimed_at)
      order by 1, 2 for update of o
    ) x
    where r.account_id = x.account_id and r.person_id = x.person_id
  $$;

alter function app.end_connections(uuid[]) owner to outrider_definer;
revoke execute on function app.end_connections(uuid[]) from public;
