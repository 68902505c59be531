-- Returns leads of the pool and of the workspace's own with this whole address, two at most; none where the caller
-- may not use it. It is a definer function, since row-level security keeps the planner from using an index for it.
create or replace function app.leads_by_mail(p_workspace text, p_mail text) returns uuid[]
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(array_agg(l.id), '{}')
    from lead l
    where app.may_use(p_workspace)
      and coalesce(l.workspace_id, '') in ('', p_workspace)
      and l.email is not null
      and lower(l.email) = lower(p_mail)
      and l.erased_at is null
  $$;

alter function app.leads_by_mail(text, text) owner to outrider_definer;
revoke execute on function app.leads_by_mail(text, text) from public;
grant execute on function app.leads_by_mail(text, text) to outrider_app;
