-- Locks the balance of a workspace until the transaction ends, makes it when it is missing, and returns it. Every
-- movement begins with it: the row lock makes them serial. It asks for no permission, which its callers do.
create or replace function app.lock_balance(p_workspace text, OUT balance bigint, OUT held bigint)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into credit_balance (workspace_id) values (p_workspace) on conflict do nothing;
    select b.balance, b.held
    into balance, held
    from credit_balance b
    where b.workspace_id = p_workspace
    for update;
  end $$;

alter function app.lock_balance(text) owner to outrider_definer;
revoke execute on function app.lock_balance(text) from public;
