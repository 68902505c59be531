-- Grants (p_kind 'grant', p_amount above 0) or adjusts ('adjust', either sign) the credits of a balance, once per
-- p_key. p_now: epoch ms UTC, product time.
-- outcome: moved; seen (the key's entry_id and amount as they were, the balance as it is); short (the balance would
-- go below what is held). 42501 unless the caller is the platform. Locks: the balance.
create or replace function app.move_credits(
  p_workspace text, p_kind text, p_amount bigint, p_key text, p_now bigint, p_tool text, p_key_prefix text,
  p_reason text, OUT outcome text, OUT entry_id uuid, OUT amount bigint, OUT balance bigint, OUT held bigint
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare b record;
  begin
    if not app.is_platform() then
      raise exception 'only the platform moves credits of a balance' using errcode = '42501';
    end if;
    if p_kind not in ('grant', 'adjust') then raise exception 'not a movement: %', p_kind; end if;
    b := app.lock_balance(p_workspace);
    p_key := app.kept_key(p_key);
    balance := b.balance;
    held := b.held;
    select e.id, e.amount
    into entry_id, amount
    from credit_entry e
    where e.workspace_id = p_workspace and e.idempotency_key = p_key;
    if found then
      outcome := 'seen';
      return;
    end if;
    amount := p_amount;
    if b.balance + p_amount < b.held then
      outcome := 'short';
      return;
    end if;
    entry_id := app.post_credits(
      p_workspace, p_kind, p_amount, p_key, p_now, null, null, p_tool, null, null, p_key_prefix, p_reason
    );
    outcome := 'moved';
    balance := b.balance + p_amount;
  end $$;

alter function app.move_credits(text, text, bigint, text, bigint, text, text, text) owner to outrider_definer;
revoke execute on function app.move_credits(text, text, bigint, text, bigint, text, text, text) from public;
grant execute on function app.move_credits(text, text, bigint, text, bigint, text, text, text) to outrider_app;
