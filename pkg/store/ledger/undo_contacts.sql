-- Takes back what app.log_contacts wrote for sends that are proven not to have happened, with their units and keys:
-- they were no contacts. The time before the last touch is remembered once, so that after two failures at different
-- times the later one may stay as last contact. The caller has checked whose sends these are and holds them.
create or replace function app.undo_contacts(p_sends uuid[]) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    perform app.return_sends(p_sends);
    update contact_log g
    set
      touches = g.touches - x.n,
      last_at = case when g.last_at = x.at then coalesce(g.before_at, g.last_at) else g.last_at end,
      before_at = case when g.last_at <> x.at then g.before_at end
    from (
      select
        s.person_id,
        coalesce(s.workflow_id, 'action:' || s.workspace_id) as workflow_id,
        count(*)::int as n,
        max(s.dispatched_at) as at
      from send s
      where s.id = any (p_sends) and s.dispatched_at is not null and app.is_contact(s.action)
      group by 1, 2
    ) x
    where g.person_id = x.person_id and g.workflow_id = x.workflow_id;
    delete from contact_log
    where touches <= 0
      and (person_id, workflow_id) in (
        select s.person_id, coalesce(s.workflow_id, 'action:' || s.workspace_id)
        from send s
        where s.id = any (p_sends)
      );
    update lead_overlay o
    set last_contacted_at = (
      select max(g.last_at)
      from contact_log g
      where g.person_id = x.person_id and g.workspace_id = x.workspace_id
    )
    from (
      select s.workspace_id, s.lead_id, s.person_id, max(s.dispatched_at) as at
      from send s
      where s.id = any (p_sends) and app.is_contact(s.action)
      group by 1, 2, 3
    ) x
    where o.workspace_id = x.workspace_id and o.lead_id = x.lead_id and o.last_contacted_at = x.at;
  end $$;

alter function app.undo_contacts(uuid[]) owner to outrider_definer;
revoke execute on function app.undo_contacts(uuid[]) from public;
