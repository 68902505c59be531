-- Takes the locks of the identities of leads among those of their agency (app.person_scope; p_workspace: for whom
-- leads of the pool are settled, null: they are passed over), all at once and in one order, so that two callers never
-- wait for each other in a circle. p_leads: leads of the caller's workspaces or of the pool. p_wait: false: where
-- another transaction has one of them it waits for none and raises 55P03 (lock_not_available).
create or replace function app.lock_identities(p_workspace text, p_leads uuid[], p_wait boolean) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare stripe bigint;
  begin
    for stripe in
      -- Once per workspace: flattened into the join below, both would be asked once per identity.
      with h as materialized (
        select d.id, app.person_scope(d.id) as scope
        from (select distinct coalesce(x.workspace_id, p_workspace) as id from lead x where x.id = any (p_leads)) d
        where app.may_use(d.id)
      )
      select distinct app.identity_stripe(h.scope, i.value)
      from h
      join lead x on coalesce(x.workspace_id, p_workspace) = h.id
      cross join lateral unnest(array[x.profile_id] || app.person_mails(x.email, x.profile_id)) i (value)
      where x.id = any (p_leads)
        and i.value is not null
      order by 1
    loop
      if p_wait then
        perform pg_advisory_xact_lock(stripe);
      elsif not pg_try_advisory_xact_lock(stripe) then
        perform app.refuse_identities();
      end if;
    end loop;
  end $$;

alter function app.lock_identities(text, uuid[], boolean) owner to outrider_definer;
revoke execute on function app.lock_identities(text, uuid[], boolean) from public;
