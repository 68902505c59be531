-- Trigger where a `send_freeze` is set or released: tells the workspace, those that an account serves, or all.
create or replace function app.tell_freeze() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    f send_freeze := case when tg_op = 'DELETE' then old else new end;
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    select
      w.id,
      case when tg_op = 'DELETE' then greatest(f.since, app.product_now()) else f.since end,
      case when tg_op = 'DELETE' then 'send.released' else 'send.frozen' end,
      'platform',
      jsonb_build_object(
        'scope', f.scope, 'accountId', case when f.scope = 'account' then f.target end,
        'channel', nullif(f.channel, ''), 'until', f.until
      )
    from workspace w
    where w.deleted_at is null
      and case f.scope
        when 'platform' then true
        when 'workspace' then w.id = f.target
        else exists (select 1 from account_link l where l.workspace_id = w.id and l.account_id = f.target)
      end
    order by w.id;
    return null;
  end $$;

alter function app.tell_freeze() owner to outrider_definer;
revoke execute on function app.tell_freeze() from public;
