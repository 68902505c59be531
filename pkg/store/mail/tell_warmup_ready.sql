-- Tells each workspace that uses the mailbox that it is warm (`warmup.ready`), once for the warm-up that began at
-- p_started. Not while the mailbox is paused: nothing is sent then, and it is told once it is resumed. Whether it is
-- ready is the caller's to know (domain: unreadiness). p_now, p_started: product time, epoch ms. Returns whether it was
-- told now; false where it was before, or the warm-up runs no more. Under the account's lease only.
create or replace function app.tell_warmup_ready(p_now bigint, p_account text, p_started bigint) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if app.account() is distinct from p_account then return false; end if;
    update mailbox_warmup w
    set told_ready_of = p_started
    from network_account a
    where w.account_id = p_account
      and w.state = 'running'
      and w.started_at = p_started
      and w.told_ready_of is distinct from p_started
      and a.id = p_account
      and not a.paused;
    if not found then return false; end if;
    insert into run_event (workspace_id, at, kind, actor, data)
    select l.workspace_id, p_now, 'warmup.ready', 'system', jsonb_build_object('providerAccountId', p_account)
    from account_link l
    where l.account_id = p_account
    order by l.workspace_id;
    return true;
  end $$;

alter function app.tell_warmup_ready(bigint, text, bigint) owner to outrider_definer;
revoke execute on function app.tell_warmup_ready(bigint, text, bigint) from public;
grant execute on function app.tell_warmup_ready(bigint, text, bigint) to outrider_executor;
