-- Trigger where an account can or cannot act any more: tells each workspace that it serves.
create or replace function app.tell_account() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    select
      l.workspace_id, greatest(new.status_since, app.product_now()), 'account.status_changed', 'system',
      jsonb_build_object(
        'accountId', new.id,
        'status', case when new.status = 'ok' and new.paused then 'paused' else new.status end,
        'was', case when old.status = 'ok' and old.paused then 'paused' else old.status end
      )
    from account_link l
    where l.account_id = new.id
    order by l.workspace_id;
    return null;
  end $$;

alter function app.tell_account() owner to outrider_definer;
revoke execute on function app.tell_account() from public;
