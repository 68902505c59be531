-- Keeps that a vendor does not take an access token any more, of an integration whose token can be renewed: a server
-- does that within a minute. `p_sealed`: the credentials that were refused; others that came meanwhile stay. Returns
-- whether they can be renewed.
create or replace function app.token_refused(p_integration text, p_sealed bytea) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  begin
    if not exists (
      select 1
      from integration i
      join integration_grant g on g.integration_id = i.id and g.sealed is not null
      where i.id = p_integration
        and i.deleted_at is null
        and i.status <> 'needs_auth'
        and (app.may_use(i.workspace_id) or app.may_use_account(i.id))
    ) then
      return false;
    end if;
    update integration i
    set token_expires_at = clock_timestamp()
    where i.id = p_integration and i.sealed = p_sealed;
    return true;
  end $$;

alter function app.token_refused(text, bytea) owner to outrider_definer;
revoke execute on function app.token_refused(text, bytea) from public;
grant execute on function app.token_refused(text, bytea) to outrider_app, outrider_executor;
