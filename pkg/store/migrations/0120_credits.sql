-- The credit ledger: grants, holds, settlements, releases, refunds and expiry. Nobody writes its tables but the
-- functions of this file, each under the row lock of one balance, each for a workspace that the caller may act for.
--
-- An entry's amount is the change of the balance (grant, adjust, refund, settle) or of what is held (hold, release,
-- expire); a settlement takes its amount off both. So at any time, and after each entry in the order of seq:
--   balance = sum of grant, adjust, refund, settle;  held = sum of hold, release, expire, settle = sum of live holds.
-- Holds live in real time (database clock); entries are dated in product time.
set local search_path = outrider, app, public;

alter table outrider.credit_entry add column seq bigint generated always as identity;
update outrider.credit_entry set kind = 'adjust' where kind = 'take';
alter table outrider.credit_entry
  add constraint credit_entry_kind check (kind in ('grant', 'hold', 'settle', 'release', 'refund', 'adjust', 'expire')),
  add constraint credit_entry_sign check (case kind when 'grant' then amount > 0 when 'refund' then amount > 0 when 'hold' then amount >= 0
    when 'adjust' then amount <> 0 else amount <= 0 end),
  add constraint credit_entry_after check (held_after >= 0 and balance_after >= held_after);
create unique index credit_entry_seq on outrider.credit_entry (workspace_id, seq desc);
create index credit_entry_campaign on outrider.credit_entry (workspace_id, campaign_id, seq desc) where campaign_id is not null;
create index credit_entry_hold on outrider.credit_entry (hold_id) where hold_id is not null;

alter table outrider.credit_hold
  add column action text not null default '',
  add column tool text,
  add column run_id uuid,
  add column campaign_id text,
  add column key_prefix text,
  -- A key holds once while the hold lives or is settled; after a release or expiry the same key may hold again.
  add column idempotency_key text not null default gen_random_uuid()::text,
  add column input_hash text not null default '',
  add column refunded bigint not null default 0,
  add column created_at bigint not null default 0,
  add column held_at timestamptz not null default clock_timestamp(),
  add constraint credit_hold_refund check (refunded >= 0 and refunded <= settled),
  add constraint credit_hold_settled check (settled >= 0 and (state = 'settled' or settled = 0));
create unique index credit_hold_key on outrider.credit_hold (workspace_id, idempotency_key) where state in ('held', 'settled');
create index credit_hold_keys on outrider.credit_hold (workspace_id, idempotency_key);
create index credit_hold_expiry on outrider.credit_hold (expires_at) where state = 'held';
create index credit_hold_campaign on outrider.credit_hold (campaign_id) where campaign_id is not null;

revoke insert, update, delete on outrider.credit_balance, outrider.credit_entry, outrider.credit_hold from outrider_app;

-- Locks the balance (made when missing). First statement of every movement: the row lock is what makes them serial.
create function app.lock_balance(p_workspace text, out balance bigint, out held bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into credit_balance (workspace_id) values (p_workspace) on conflict do nothing;
    select b.balance, b.held into balance, held from credit_balance b where b.workspace_id = p_workspace for update;
  end $$;

-- Writes one entry and the balance it leaves; the balance's row lock is held. The constraints of both tables are the backstop.
create function app.post_credits(p_workspace text, p_kind text, p_amount bigint, p_key text, p_now bigint, p_hold uuid,
    p_action text, p_tool text, p_run uuid, p_campaign text, p_key_prefix text, p_reason text)
  returns uuid language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    entry uuid := gen_random_uuid();
    b record;
  begin
    update credit_balance c set
        balance = c.balance + case when p_kind in ('grant', 'adjust', 'refund', 'settle') then p_amount else 0 end,
        held = c.held + case when p_kind in ('hold', 'release', 'expire', 'settle') then p_amount else 0 end
      where c.workspace_id = p_workspace returning c.balance, c.held into b;
    insert into credit_entry (id, workspace_id, kind, amount, balance_after, held_after, action, tool, run_id, campaign_id, hold_id, key_prefix, reason, idempotency_key, at)
      values (entry, p_workspace, p_kind, p_amount, b.balance, b.held, p_action, p_tool, p_run, p_campaign, p_hold, p_key_prefix, p_reason, p_key, p_now);
    return entry;
  end $$;

-- Grants, takes back or refunds nothing twice: the same key moves credits once. outcome: moved, seen, short.
create function app.move_credits(p_workspace text, p_kind text, p_amount bigint, p_key text, p_now bigint, p_tool text, p_key_prefix text, p_reason text,
    out outcome text, out entry_id uuid, out amount bigint, out balance bigint, out held bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare b record;
  begin
    if not app.is_platform() then raise exception 'only the platform moves credits of a balance' using errcode = '42501'; end if;
    if p_kind not in ('grant', 'adjust') then raise exception 'not a movement: %', p_kind; end if;
    b := app.lock_balance(p_workspace);
    balance := b.balance; held := b.held;
    select e.id, e.amount into entry_id, amount from credit_entry e where e.workspace_id = p_workspace and e.idempotency_key = p_key;
    if found then outcome := 'seen'; return; end if;
    amount := p_amount;
    if b.balance + p_amount < b.held then outcome := 'short'; return; end if;
    entry_id := app.post_credits(p_workspace, p_kind, p_amount, p_key, p_now, null, null, p_tool, null, null, p_key_prefix, p_reason);
    outcome := 'moved'; balance := b.balance + p_amount;
  end $$;

-- Ends holds that nobody extended (real time): their credits are available again.
create function app.expire_holds(p_workspace text, p_now bigint, p_limit int default 1000) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    w text;
    h record;
    ended int := 0;
  begin
    if not (app.is_platform() or (p_workspace is not null and app.may_use(p_workspace))) then return 0; end if;
    for w in select distinct x.workspace_id from (select c.workspace_id from credit_hold c where c.state = 'held' and c.expires_at <= clock_timestamp()
        and (p_workspace is null or c.workspace_id = p_workspace) order by c.expires_at limit p_limit) x order by 1 loop
      perform app.lock_balance(w);
      for h in update credit_hold c set state = 'expired' where c.workspace_id = w and c.state = 'held' and c.expires_at <= clock_timestamp() returning c.* loop
        perform app.post_credits(w, 'expire', -h.amount, 'expire:' || h.id, p_now, h.id, h.action, h.tool, h.run_id, h.campaign_id, h.key_prefix, 'nobody settled the hold in time');
        ended := ended + 1;
      end loop;
    end loop;
    return ended;
  end $$;

-- The month's credits of a workspace's limits, once per month of product time (UTC); what is left over stays.
create function app.grant_monthly_credits(p_workspace text, p_now bigint) returns bigint
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    month text := to_char(to_timestamp(p_now / 1000.0) at time zone 'UTC', 'YYYY-MM');
    w record;
    granted bigint := 0;
  begin
    if not (app.is_platform() or (p_workspace is not null and app.may_use(p_workspace))) then return 0; end if;
    for w in select s.id, (s.limits ->> 'monthlyCredits')::bigint as credits from workspace s
        where s.deleted_at is null and coalesce((s.limits ->> 'monthlyCredits')::bigint, 0) > 0 and (p_workspace is null or s.id = p_workspace)
          and not exists (select 1 from credit_entry e where e.workspace_id = s.id and e.idempotency_key = 'monthly:' || month) order by s.id loop
      perform app.lock_balance(w.id);
      continue when exists (select 1 from credit_entry e where e.workspace_id = w.id and e.idempotency_key = 'monthly:' || month);
      perform app.post_credits(w.id, 'grant', w.credits, 'monthly:' || month, p_now, null, null, null, null, null, null, 'credits of ' || month);
      granted := granted + w.credits;
    end loop;
    return granted;
  end $$;

-- Puts credits on hold before work that costs. outcome: held, seen (same key and input, still live or settled), mismatch
-- (same key, other input), short (available tells), over_budget (the campaign's own cap; available tells what is left of it).
create function app.hold_credits(p_id uuid, p_workspace text, p_amount bigint, p_action text, p_tool text, p_run uuid, p_campaign text,
    p_key_prefix text, p_key text, p_input_hash text, p_now bigint, p_ttl_seconds int, p_replay_seconds int,
    out outcome text, out hold_id uuid, out state text, out amount bigint, out settled bigint, out available bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    b record;
    seen record;
    cap bigint;
    used bigint;
  begin
    if not app.may_use(p_workspace) then raise exception 'no access to this workspace' using errcode = '42501'; end if;
    if p_amount < 0 then raise exception 'a hold is never negative'; end if;
    perform app.lock_balance(p_workspace);
    perform app.expire_holds(p_workspace, p_now);
    perform app.grant_monthly_credits(p_workspace, p_now);
    b := app.lock_balance(p_workspace);
    available := b.balance - b.held;
    -- A settled key is remembered for p_replay_seconds (real time); then it may be used anew.
    update credit_hold h set idempotency_key = h.idempotency_key || '#' || h.id
      where h.workspace_id = p_workspace and h.idempotency_key = p_key and h.state <> 'held' and h.held_at < clock_timestamp() - make_interval(secs => p_replay_seconds);
    select h.* into seen from credit_hold h where h.workspace_id = p_workspace and h.idempotency_key = p_key
      order by (h.state in ('held', 'settled')) desc, h.created_at desc limit 1;
    if found and seen.input_hash <> p_input_hash then outcome := 'mismatch'; hold_id := seen.id; return; end if;
    if found and seen.state in ('held', 'settled') then
      outcome := 'seen'; hold_id := seen.id; state := seen.state; amount := seen.amount; settled := seen.settled;
      return;
    end if;
    amount := p_amount; settled := 0;
    if p_campaign is not null then
      select nullif((c.settings ->> 'creditBudget')::bigint, 0) into cap from campaign c where c.id = p_campaign and c.workspace_id = p_workspace;
      if not found then raise exception 'campaign of another workspace' using errcode = '42501'; end if;
      if cap is not null then
        select coalesce(sum(case when h.state = 'held' then h.amount else h.settled - h.refunded end), 0) into used
          from credit_hold h where h.campaign_id = p_campaign and h.state in ('held', 'settled');
        if used + p_amount > cap then outcome := 'over_budget'; available := greatest(0, cap - used); return; end if;
      end if;
    end if;
    if p_amount > available then outcome := 'short'; return; end if;
    insert into credit_hold (id, workspace_id, amount, state, expires_at, action, tool, run_id, campaign_id, key_prefix, idempotency_key, input_hash, created_at)
      values (p_id, p_workspace, p_amount, 'held', clock_timestamp() + make_interval(secs => p_ttl_seconds), p_action, p_tool, p_run, p_campaign, p_key_prefix, p_key, p_input_hash, p_now);
    perform app.post_credits(p_workspace, 'hold', p_amount, 'hold:' || p_id, p_now, p_id, p_action, p_tool, p_run, p_campaign, p_key_prefix, '');
    outcome := 'held'; hold_id := p_id; state := 'held'; available := available - p_amount;
  end $$;

-- Charges what was delivered, at most what is held; the rest goes back. outcome: settled, seen (settled before with the
-- same amount), or the state that it is in instead. A settlement with another amount, or above the hold, is a fault.
create function app.settle_hold(p_hold uuid, p_actual bigint, p_now bigint, out outcome text, out spent bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare h record;
  begin
    select * into h from credit_hold c where c.id = p_hold;
    if h.id is null or not app.may_use(h.workspace_id) then raise exception 'no such hold' using errcode = '42501'; end if;
    perform app.lock_balance(h.workspace_id);
    select * into h from credit_hold c where c.id = p_hold for update;
    spent := h.settled;
    if h.state = 'settled' then
      if h.settled <> p_actual then raise exception 'hold % was settled with % credits, not %', p_hold, h.settled, p_actual; end if;
      outcome := 'seen'; return;
    end if;
    if h.state <> 'held' then outcome := h.state; return; end if;
    if p_actual < 0 or p_actual > h.amount then raise exception 'a settlement of % is not within the hold of %', p_actual, h.amount using errcode = '23514'; end if;
    update credit_hold c set state = 'settled', settled = p_actual where c.id = p_hold;
    perform app.post_credits(h.workspace_id, 'settle', -p_actual, 'settle:' || p_hold, p_now, p_hold, h.action, h.tool, h.run_id, h.campaign_id, h.key_prefix, '');
    if p_actual < h.amount then
      perform app.post_credits(h.workspace_id, 'release', p_actual - h.amount, 'rest:' || p_hold, p_now, p_hold, h.action, h.tool, h.run_id, h.campaign_id, h.key_prefix, 'not used');
    end if;
    outcome := 'settled'; spent := p_actual;
  end $$;

-- Gives a hold back: nothing was delivered. outcome: released, or the state that it is in already.
create function app.release_hold(p_hold uuid, p_now bigint, p_reason text, out outcome text)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare h record;
  begin
    select * into h from credit_hold c where c.id = p_hold;
    if h.id is null or not app.may_use(h.workspace_id) then raise exception 'no such hold' using errcode = '42501'; end if;
    perform app.lock_balance(h.workspace_id);
    select * into h from credit_hold c where c.id = p_hold for update;
    outcome := h.state;
    if h.state <> 'held' then return; end if;
    update credit_hold c set state = 'released' where c.id = p_hold;
    perform app.post_credits(h.workspace_id, 'release', -h.amount, 'release:' || p_hold, p_now, p_hold, h.action, h.tool, h.run_id, h.campaign_id, h.key_prefix, p_reason);
    outcome := 'released';
  end $$;

-- A live job keeps its hold (real time). False when the hold lives no more.
create function app.extend_hold(p_hold uuid, p_ttl_seconds int) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    update credit_hold c set expires_at = greatest(c.expires_at, clock_timestamp() + make_interval(secs => p_ttl_seconds))
      where c.id = p_hold and c.state = 'held' and c.expires_at > clock_timestamp() and app.may_use(c.workspace_id);
    return found;
  end $$;

-- Returns what was charged for something that proved worthless later; never more than was charged. outcome: refunded, seen, too_much.
create function app.refund_credits(p_hold uuid, p_amount bigint, p_key text, p_now bigint, p_reason text, out outcome text)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare h record;
  begin
    select * into h from credit_hold c where c.id = p_hold;
    if h.id is null or not app.may_use(h.workspace_id) then raise exception 'no such hold' using errcode = '42501'; end if;
    perform app.lock_balance(h.workspace_id);
    if exists (select 1 from credit_entry e where e.workspace_id = h.workspace_id and e.idempotency_key = 'refund:' || p_key) then outcome := 'seen'; return; end if;
    select * into h from credit_hold c where c.id = p_hold for update;
    if h.state <> 'settled' or h.refunded + p_amount > h.settled then outcome := 'too_much'; return; end if;
    update credit_hold c set refunded = c.refunded + p_amount where c.id = p_hold;
    perform app.post_credits(h.workspace_id, 'refund', p_amount, 'refund:' || p_key, p_now, p_hold, h.action, h.tool, h.run_id, h.campaign_id, h.key_prefix, p_reason);
    outcome := 'refunded';
  end $$;

do $$
declare f text;
begin
  foreach f in array array['lock_balance(text)', 'post_credits(text, text, bigint, text, bigint, uuid, text, text, uuid, text, text, text)',
    'move_credits(text, text, bigint, text, bigint, text, text, text)', 'expire_holds(text, bigint, int)', 'grant_monthly_credits(text, bigint)',
    'hold_credits(uuid, text, bigint, text, text, uuid, text, text, text, text, bigint, int, int)', 'settle_hold(uuid, bigint, bigint)',
    'release_hold(uuid, bigint, text)', 'extend_hold(uuid, int)', 'refund_credits(uuid, bigint, text, bigint, text)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
  end loop;
end $$;
grant execute on function app.move_credits(text, text, bigint, text, bigint, text, text, text) to outrider_app;
grant execute on function app.expire_holds(text, bigint, int), app.grant_monthly_credits(text, bigint),
  app.hold_credits(uuid, text, bigint, text, text, uuid, text, text, text, text, bigint, int, int), app.settle_hold(uuid, bigint, bigint),
  app.release_hold(uuid, bigint, text), app.extend_hold(uuid, int), app.refund_credits(uuid, bigint, text, bigint, text) to outrider_app, outrider_executor;
