-- Returns those of p_identities (mail:<address>, profile:<id>, name:<key>, as identitiesToAsk makes them) that were
-- erased in the workspace, or by the platform for all, and must not come back. Empty where the caller may not use it.
create or replace function app.erased_identities(p_workspace text, p_identities text[]) returns setof text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select i
    from unnest(p_identities) i
    where app.may_use(p_workspace)
      and exists (select 1 from erasure_tombstone t where t.workspace_id in (p_workspace, ''))
      and exists (
        select 1
        from (values (p_workspace), ('')) o (scope)
        join erasure_tombstone t on t.workspace_id = o.scope and t.hash = app.erasure_hash(o.scope, i)
      )
  $$;

alter function app.erased_identities(text, text[]) owner to outrider_definer;
revoke execute on function app.erased_identities(text, text[]) from public;
grant execute on function app.erased_identities(text, text[]) to outrider_app;
