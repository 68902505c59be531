-- A batch that claims in several calls locks all of its accounts first, in the order in which everybody locks them: each call
-- alone would lock its own, and two batches that share accounts could wait for each other.
set local search_path = outrider, app, public;

create function app.lock_accounts(p_accounts text[]) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
  as $$
  declare
    ws text := app.workspace();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from account_pacing x where x.account_id = any (p_accounts)
      and exists (select 1 from account_link l where l.account_id = x.account_id and l.workspace_id = ws)
      order by x.account_id for update of x;
  end $$;
alter function app.lock_accounts(text[]) owner to outrider_definer;
revoke execute on function app.lock_accounts(text[]) from public;
grant execute on function app.lock_accounts(text[]) to outrider_executor;
