-- Trigger where a `send` becomes a dead letter.
create or replace function app.tell_dead_letter() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, data)
    values (
      new.workspace_id, new.run_id, new.dead_letter_at, 'dead_letter.opened', new.node_id, 'engine',
      jsonb_build_object('sendId', new.id, 'accountId', new.account_id, 'action', new.action, 'state', new.state)
    );
    perform app.fail_content(
      a.content_post_id, a.target ->> 'part', 'unknown_outcome',
      'Nobody knows whether it is online: ' || coalesce(new.error, ''), a.tries + 1, false, new.dead_letter_at
    )
    from action a
    where a.id = new.action_id and a.content_post_id is not null;
    return null;
  end $$;

alter function app.tell_dead_letter() owner to outrider_definer;
revoke execute on function app.tell_dead_letter() from public;
