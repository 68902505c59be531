-- Returns those of these addresses (lower case) from which a mail came back, in p_workspace or in one of its agency
-- that shares its exclusions with it. Nothing when the caller may not act for p_workspace.
create or replace function app.bounced_addresses(p_workspace text, p_addresses text[]) returns setof text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct x.value
    from suppression x
    where x.kind = 'mail'
      and x.source = 'bounce'
      and x.value = any (p_addresses)
      and app.may_use(p_workspace)
      and x.workspace_id = any (app.sharing_workspaces(p_workspace) || p_workspace)
  $$;

alter function app.bounced_addresses(text, text[]) owner to outrider_definer;
revoke execute on function app.bounced_addresses(text, text[]) from public;
grant execute on function app.bounced_addresses(text, text[]) to outrider_executor;
