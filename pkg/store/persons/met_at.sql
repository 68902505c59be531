-- Returns who a person whom an account knows is to the agencies of the account: app.same_at for tools, which read the
-- leads of their workspace alone. No rows where the caller may not use the account.
create or replace function app.met_at(p_account text, p_person uuid) returns setof uuid
  language sql stable rows 1 security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select x.id from app.same_at(p_account, p_person) as x (id) where app.may_use_account(p_account)
  $$;

alter function app.met_at(text, uuid) owner to outrider_definer;
revoke execute on function app.met_at(text, uuid) from public;
grant execute on function app.met_at(text, uuid) to outrider_app;
