-- As app.sends_by_id, with sends of actions.
create or replace function app.all_sends_by_id(p_ids uuid[]) returns setof outrider.send
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select s.*
    from send s
    where s.id = any (p_ids) and (s.workspace_id = (select app.workspace())) is true
  $$;

alter function app.all_sends_by_id(uuid[]) owner to outrider_definer;
revoke execute on function app.all_sends_by_id(uuid[]) from public;
grant execute on function app.all_sends_by_id(uuid[]) to outrider_executor;
