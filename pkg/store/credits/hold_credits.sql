-- Holds credits before work that costs; it charges nothing yet. Source: catalog stateMachines.creditHold,
-- CampaignSettings.creditBudget.
-- p_id: the hold's id when it is made; p_amount: credits at most; p_action: billable action of the catalog; p_key:
-- unique per workspace, with p_input_hash of what the charge is for; p_now dates the entry (epoch ms UTC, product
-- time). p_ttl_seconds, until the hold expires, and p_replay_seconds, for which an ended key is remembered, are real
-- time.
-- outcome: held (available: credits that are left besides it), seen (same key and input: hold_id, state held or
-- settled, amount, settled), mismatch (same key, other input), short (available: credits that there are), over_budget
-- (available: what is left of the campaign's creditBudget).
-- It ends expired holds first (200, up to 5,000 where their credits are missing; what is left over is not available
-- yet) and grants the month's credits. 42501 for a workspace or a campaign of others. Locks: the balance.
create or replace function app.hold_credits(
  p_id uuid, p_workspace text, p_amount bigint, p_action text, p_tool text, p_run uuid, p_campaign text,
  p_key_prefix text, p_key text, p_input_hash text, p_now bigint, p_ttl_seconds int, p_replay_seconds int,
  OUT outcome text, OUT hold_id uuid, OUT state text, OUT amount bigint, OUT settled bigint,
  OUT available bigint
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    b record;
    seen record;
    cap bigint;
    used bigint;
    -- Holds that one call of app.expire_holds ends at most.
    part constant int := 200;
    ended int;
  begin
    if not app.may_use(p_workspace) then
      raise exception 'no access to this workspace' using errcode = '42501';
    end if;
    if p_amount < 0 then raise exception 'a hold is never negative'; end if;
    perform app.lock_balance(p_workspace);
    p_key := app.kept_key(p_key);
    -- Its own key comes first, however many others are over: it may be used anew.
    perform app.expire_hold(c.id, p_now)
    from credit_hold c
    where c.workspace_id = p_workspace and c.idempotency_key = p_key and c.state = 'held';
    ended := app.expire_holds(p_workspace, p_now, part);
    perform app.grant_monthly_credits(p_workspace, p_now);
    b := app.lock_balance(p_workspace);
    -- It ends more of them only while their credits are missing.
    for round in 2 .. 25 loop
      exit when ended < part
        or b.balance - b.held >= p_amount
          and not exists (
            select 1
            from campaign c
            join campaign_credit k on k.campaign_id = c.id
            where c.id = p_campaign
              and c.workspace_id = p_workspace
              and k.used + p_amount > nullif((c.settings ->> 'creditBudget')::bigint, 0)
          );
      ended := app.expire_holds(p_workspace, p_now, part);
      b := app.lock_balance(p_workspace);
    end loop;
    available := b.balance - b.held;
    -- A settled key is remembered for p_replay_seconds (real time); then it may be used anew.
    update credit_hold h
    set idempotency_key = h.idempotency_key || '#' || h.id
    where h.workspace_id = p_workspace
      and h.idempotency_key = p_key
      and h.state <> 'held'
      and h.held_at < clock_timestamp() - make_interval(secs => p_replay_seconds);
    select h.*
    into seen
    from credit_hold h
    where h.workspace_id = p_workspace and h.idempotency_key = p_key
    order by (h.state in ('held', 'settled')) desc, h.created_at desc limit 1;
    if found and seen.input_hash <> p_input_hash then
      outcome := 'mismatch';
      hold_id := seen.id;
      return;
    end if;
    if found and seen.state in ('held', 'settled') then
      outcome := 'seen';
      hold_id := seen.id;
      state := seen.state;
      amount := seen.amount;
      settled := seen.settled;
      return;
    end if;
    amount := p_amount;
    settled := 0;
    if p_campaign is not null then
      select nullif((c.settings ->> 'creditBudget')::bigint, 0)
      into cap
      from campaign c
      where c.id = p_campaign and c.workspace_id = p_workspace;
      if not found then raise exception 'campaign of another workspace' using errcode = '42501'; end if;
      if cap is not null then
        used := coalesce((select k.used from campaign_credit k where k.campaign_id = p_campaign), 0);
        if used + p_amount > cap then
          outcome := 'over_budget';
          available := greatest(0, cap - used);
          return;
        end if;
      end if;
    end if;
    if p_amount > available then
      outcome := 'short';
      return;
    end if;
    insert into credit_hold (
      id, workspace_id, amount, state, expires_at, action, tool, run_id, campaign_id, key_prefix,
      idempotency_key, input_hash, created_at
    )
    values (
      p_id, p_workspace, p_amount, 'held', clock_timestamp() + make_interval(secs => p_ttl_seconds), p_action,
      p_tool, p_run, p_campaign, p_key_prefix, p_key, p_input_hash, p_now
    );
    perform app.post_credits(
      p_workspace, 'hold', p_amount, 'hold:' || p_id, p_now, p_id, p_action, p_tool, p_run, p_campaign,
      p_key_prefix, ''
    );
    outcome := 'held';
    hold_id := p_id;
    state := 'held';
    available := available - p_amount;
  end $$;

alter function app.hold_credits(
  uuid, text, bigint, text, text, uuid, text, text, text, text, bigint, int, int
) owner to outrider_definer;
revoke execute on function app.hold_credits(
  uuid, text, bigint, text, text, uuid, text, text, text, text, bigint, int, int
) from public;
grant execute on function app.hold_credits(
  uuid, text, bigint, text, text, uuid, text, text, text, text, bigint, int, int
) to outrider_app, outrider_executor;
