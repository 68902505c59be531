-- Charges p_actual credits for what was delivered; the rest of the hold goes back. Source: catalog
-- stateMachines.creditHold.
-- p_now: epoch ms UTC, product time. outcome: settled; seen (it was, with the same amount); released or expired (it
-- charges nothing). spent: what it has cost. A settlement with another amount than before, or above the hold (23514),
-- is a fault of the caller. 42501 for a hold of others. Locks: the balance, then the hold.
create or replace function app.settle_hold(
  p_hold uuid, p_actual bigint, p_now bigint, OUT outcome text, OUT spent bigint
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare h record;
  begin
    select * into h from credit_hold c where c.id = p_hold;
    if h.id is null or not app.may_use(h.workspace_id) then
      raise exception 'no such hold' using errcode = '42501';
    end if;
    perform app.lock_balance(h.workspace_id);
    select * into h from credit_hold c where c.id = p_hold for update;
    spent := h.settled;
    if h.state = 'settled' then
      if h.settled <> p_actual then
        raise exception 'hold % was settled with % credits, not %', p_hold, h.settled, p_actual;
      end if;
      outcome := 'seen';
      return;
    end if;
    if h.state <> 'held' then
      outcome := h.state;
      return;
    end if;
    if p_actual < 0 or p_actual > h.amount then
      raise exception 'a settlement of % is not within the hold of %', p_actual, h.amount
        using errcode = '23514';
    end if;
    update credit_hold c set state = 'settled', settled = p_actual where c.id = p_hold;
    perform app.post_credits(
      h.workspace_id, 'settle', -p_actual, 'settle:' || p_hold, p_now, p_hold, h.action, h.tool, h.run_id,
      h.campaign_id, h.key_prefix, ''
    );
    if p_actual < h.amount then
      perform app.post_credits(
        h.workspace_id, 'release', p_actual - h.amount, 'rest:' || p_hold, p_now, p_hold, h.action, h.tool,
        h.run_id, h.campaign_id, h.key_prefix, 'not used'
      );
    end if;
    outcome := 'settled';
    spent := p_actual;
  end $$;

alter function app.settle_hold(uuid, bigint, bigint) owner to outrider_definer;
revoke execute on function app.settle_hold(uuid, bigint, bigint) from public;
grant execute on function app.settle_hold(uuid, bigint, bigint) to outrider_app, outrider_executor;
