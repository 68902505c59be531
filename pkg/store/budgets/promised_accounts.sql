-- Returns accounts that promised a later moment to runs of the lease's workspace, in the order of their ids, at most
-- `p_most` after `p_after`. It jumps from one account to the next, however many promises each has. `p_now`: epoch ms
-- UTC, product time.
create or replace function app.promised_accounts(p_now bigint, p_after text, p_most int) returns setof text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    with recursive own as materialized (select app.workspace() as id),
    a as (
      (
        select s.account_id
        from account_slot s
        where s.workspace_id = (select id from own) and not s.acted and s.account_id > p_after
        order by s.account_id limit 1
      )
      union all
      select (
        select s.account_id
        from account_slot s
        where s.workspace_id = (select id from own)
          and not s.acted
          and s.account_id > a.account_id
        order by s.account_id limit 1
      )
      from a
      where a.account_id is not null
    )
    select a.account_id
    from a
    where a.account_id is not null
      and exists (
        select 1
        from account_slot s
        where s.workspace_id = (select id from own)
          and s.account_id = a.account_id
          and not s.acted
          and s.at > p_now
      )
    limit p_most
  $$;

alter function app.promised_accounts(bigint, text, int) owner to outrider_definer;
revoke execute on function app.promised_accounts(bigint, text, int) from public;
grant execute on function app.promised_accounts(bigint, text, int) to outrider_executor;
