-- Leads by their whole address: row-level security keeps the planner from using an index for it.
set local search_path = outrider, app, public;

create function app.leads_by_mail(p_workspace text, p_mail text) returns uuid[]
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(array_agg(l.id), '{}') from lead l
    where app.may_use(p_workspace) and coalesce(l.workspace_id, '') in ('', p_workspace) and l.email is not null and lower(l.email) = lower(p_mail) and l.erased_at is null
  $$;

do $$
declare f text;
begin
  foreach f in array array['leads_by_mail(text, text)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_app, outrider_definer', f);
  end loop;
end $$;
