-- Writes one entry of the ledger of credits and the balance that it leaves; returns the entry's id.
-- p_amount is signed and changes the balance (grant, adjust, refund), what is held (hold, release, expire), or both
-- (settle). So after each entry, in the order of seq, the balance is the sum of grant, adjust, refund and settle, and
-- what is held is the sum of hold, release, expire and settle, which is the sum of live holds. p_key: unique per
-- workspace. p_now: epoch ms UTC, product time.
-- It tells once as fewer than app.credits_low_at(…) are available, and once as none are (events credits.low and
-- credits.exhausted).
-- The caller holds the balance's lock (app.lock_balance) and has asked for permission. The constraints of both tables
-- are the backstop: 23514, 23505.
create or replace function app.post_credits(
  p_workspace text, p_kind text, p_amount bigint, p_key text, p_now bigint, p_hold uuid, p_action text,
  p_tool text, p_run uuid, p_campaign text, p_key_prefix text, p_reason text
)
  returns uuid
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    entry uuid := gen_random_uuid();
    b record;
    was bigint;
    available bigint;
    low bigint := app.credits_low_at(p_workspace);
  begin
    update credit_balance c
    set
      balance = c.balance + case
        when p_kind in ('grant', 'adjust', 'refund', 'settle') then p_amount
        else 0
      end,
      held = c.held + case when p_kind in ('hold', 'release', 'expire', 'settle') then p_amount else 0 end
    where c.workspace_id = p_workspace
    returning c.balance, c.held
    into b;
    insert into credit_entry (
      id, workspace_id, kind, amount, balance_after, held_after, action, tool, run_id, campaign_id, hold_id,
      key_prefix, reason, idempotency_key, at
    )
    values (
      entry, p_workspace, p_kind, p_amount, b.balance, b.held, p_action, p_tool, p_run, p_campaign, p_hold,
      p_key_prefix, p_reason, p_key, p_now
    );
    available := b.balance - b.held;
    -- A hold is taken from what is available, all else is put to the balance.
    was := available - case
      when p_kind in ('grant', 'adjust', 'refund') then p_amount
      when p_kind in ('hold', 'release', 'expire') then -p_amount
      else 0
    end;
    if was > 0 and available <= 0 or was >= low and available < low then
      insert into run_event (workspace_id, at, kind, actor, data)
      values (
        p_workspace, p_now, case when available <= 0 then 'credits.exhausted' else 'credits.low' end, 'system',
        jsonb_build_object('available', available, 'threshold', low)
      );
    end if;
    if p_campaign is not null and p_kind in ('hold', 'release', 'expire', 'refund') then
      -- Posts come one after the other, since each holds the balance of the workspace.
      update campaign_credit k
      set used = k.used + case p_kind when 'refund' then -p_amount else p_amount end
      where k.campaign_id = p_campaign;
      if not found then
        insert into campaign_credit (campaign_id, workspace_id, used)
        values (p_campaign, p_workspace, p_amount);
      end if;
    end if;
    return entry;
  end $$;

alter function app.post_credits(text, text, bigint, text, bigint, uuid, text, text, uuid, text, text, text)
  owner to outrider_definer;
revoke execute on function app.post_credits(text, text, bigint, text, bigint, uuid, text, text, uuid, text, text, text)
  from public;
