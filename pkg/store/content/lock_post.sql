-- Locks a post with its actions, in the order of everybody who works on them: actions by id, then the post. It passes
-- over posts of others.
create or replace function app.lock_post(p_post uuid) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select 1
    from action a
    where a.content_post_id = p_post and a.ended_at is null and app.may_use(a.workspace_id)
    order by a.id for no key update;
    select 1 from content_post c where c.id = p_post and app.may_use(c.workspace_id) for update;
    select null::void;
  $$;

alter function app.lock_post(uuid) owner to outrider_definer;
revoke execute on function app.lock_post(uuid) from public;
grant execute on function app.lock_post(uuid) to outrider_app, outrider_executor;
