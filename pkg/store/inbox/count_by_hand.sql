-- Counts actions that account sync saw and that somebody did by hand, each once, against the account's budgets. An
-- action that a send of ours explains counts for nothing. Only the seven local dates of the window count; a day that
-- goes over its limit by it has nothing left. Source: the specification's budgets per account: the network does not
-- care who pressed the button.
-- p_seen: [{action, ref, person, body, at}], `ref` the provider's reference, `at` epoch ms product time. Returns the
-- units that it added; 0 without a lease of the account. Locks: account_pacing, then budgets in order of actions.
create or replace function app.count_by_hand(p_now bigint, p_account text, p_seen jsonb) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    zone text;
    today date;
    x record;
    b record;
    added int := 0;
    rolled int[];
    at_index int;
  begin
    if app.account() is distinct from p_account then return 0; end if;
    select timezone into zone from network_account where id = p_account;
    perform 1 from account_pacing where account_id = p_account for update;
    for x in
      with q as (
        select *
        from jsonb_to_recordset(p_seen) as j (action text, ref text, person uuid, body text, at bigint)
      ),
      own as (select o.ref from app.own_messages(p_account, array(select q.ref from q)) o),
      fresh as (
        insert into hand_action (account_id, action, ref, at)
        select p_account, q.action, q.ref, q.at
        from q
        where q.ref not in (select own.ref from own)
          and not app.is_ours(p_account, q.action, q.person, q.body)
        order by q.action, q.ref
        on conflict do nothing
        returning action, at
      )
      select f.action, app.local_date(f.at, zone) as day, count(*)::int as units
      from fresh f
      where f.at > p_now - 8 * 86400000::bigint
      group by 1, 2
      order by 1, 2
    loop
      today := app.local_date(p_now, zone);
      insert into account_budget (account_id, action, head_date, limit_day, limit_week)
      values (p_account, x.action, today, 0, 0)
      on conflict do nothing;
      select *
      into b
      from account_budget
      where account_id = p_account and action = x.action
      for update;
      today := greatest(today, b.head_date);
      at_index := 1 + (today - least(x.day, today));
      if at_index > 7 then continue; end if;
      rolled := app.roll_window(b.used, b.head_date, today);
      rolled[at_index] := rolled[at_index] + x.units;
      update account_budget
      set
        head_date = today,
        used = rolled,
        by_workspace = case when today > b.head_date then '{}'::jsonb else b.by_workspace end,
        limit_day = case when b.limit_day < 0 then b.limit_day else greatest(b.limit_day, rolled[1]) end
      where account_id = p_account and action = x.action;
      added := added + x.units;
    end loop;
    return added;
  end $$;

alter function app.count_by_hand(bigint, text, jsonb) owner to outrider_definer;
revoke execute on function app.count_by_hand(bigint, text, jsonb) from public;
grant execute on function app.count_by_hand(bigint, text, jsonb) to outrider_executor;
