-- Says whether a rehearsal (a home whose clock ever ran ahead of real time) keeps this account still, because it is
-- one of a real provider.
create or replace function app.is_rehearsed(p_account text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select exists (
      select 1
      from installation i
      join network_account a on a.id = p_account and a.provider <> 'sandbox'
      where i.rehearsal
    )
  $$;

alter function app.is_rehearsed(text) owner to outrider_definer;
revoke execute on function app.is_rehearsed(text) from public;
grant execute on function app.is_rehearsed(text) to outrider_app, outrider_owner;
