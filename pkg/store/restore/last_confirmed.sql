-- Returns when the account's last confirmed contact left (epoch ms UTC, product time), from where it is compared
-- after a restore; before the first contact, when the account was connected. Null for an account that nobody knows.
create or replace function app.last_confirmed(p_account text) returns bigint
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(
      (
        select max(s.dispatched_at)
        from send s
        where s.account_id = p_account and s.state = 'confirmed' and app.is_contact(s.action)
      ),
      (select a.created_at from network_account a where a.id = p_account)
    )
  $$;

alter function app.last_confirmed(text) owner to outrider_definer;
revoke execute on function app.last_confirmed(text) from public;
grant execute on function app.last_confirmed(text) to outrider_app, outrider_owner;
