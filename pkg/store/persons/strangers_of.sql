-- Returns those of these leads whom the agency (else the workspace) that asks does not know at all: they are nobody
-- yet, and nobody is known by their profile or by one of their mail addresses. Nothing that hangs on a person can meet
-- them, so that a caller who does nothing with them need not settle them (app.resolve_persons). p_leads: leads of the
-- workspace or of the pool. No rows where the caller may not use the workspace.
create or replace function app.strangers_of(p_workspace text, p_leads uuid[]) returns table (lead_id uuid)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select x.id
    from (select app.person_scope(p_workspace) as scope where app.may_use(p_workspace) offset 0) s
    join lead x on x.id = any (p_leads) and (x.workspace_id is null or x.workspace_id = p_workspace)
    where x.person_id is null
      and not exists (select 1 from pool_person m where m.lead_id = x.id and m.scope = s.scope)
      and not exists (
        select 1
        from person_alias a
        where a.scope = s.scope and a.kind = 'profile' and a.value = x.profile_id
      )
      and not exists (
        select 1
        from person_alias a
        where a.scope = s.scope and a.kind = 'mail' and a.value = any (app.person_mails(x.email, x.profile_id))
        offset 0
      )
  $$;

alter function app.strangers_of(text, uuid[]) owner to outrider_definer;
revoke execute on function app.strangers_of(text, uuid[]) from public;
grant execute on function app.strangers_of(text, uuid[]) to outrider_app, outrider_executor;
