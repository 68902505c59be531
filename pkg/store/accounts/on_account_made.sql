-- Trigger of network_account: makes the row of its pacing at once. Claims of sends lock that row before they lock
-- budgets; two that both inserted it would wait for each other.
create or replace function app.on_account_made() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into account_pacing (account_id)
    select n.id
    from new_rows n
    order by n.id
    on conflict do nothing;
    return null;
  end $$;

alter function app.on_account_made() owner to outrider_definer;
revoke execute on function app.on_account_made() from public;
