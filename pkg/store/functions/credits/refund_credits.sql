-- Returns credits that were charged for something that proved worthless later, once per p_key and never more than were charged. p_now: epoch ms
-- UTC, product time. outcome: refunded, seen, too_much (also of a hold that is not settled). 42501 for a hold of others. Locks: the balance, then
-- the hold.
create or replace function app.refund_credits(p_hold uuid, p_amount bigint, p_key text, p_now bigint, p_reason text, OUT outcome text) returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare h record;
  begin
    select * into h from credit_hold c where c.id = p_hold;
    if h.id is null or not app.may_use(h.workspace_id) then raise exception 'no such hold' using errcode = '42501'; end if;
    perform app.lock_balance(h.workspace_id);
    if exists (select 1 from credit_entry e where e.workspace_id = h.workspace_id and e.idempotency_key = 'refund:' || p_key)
      then outcome := 'seen'; return; end if;
    select * into h from credit_hold c where c.id = p_hold for update;
    if h.state <> 'settled' or h.refunded + p_amount > h.settled then outcome := 'too_much'; return; end if;
    update credit_hold c set refunded = c.refunded + p_amount where c.id = p_hold;
    perform app.post_credits(h.workspace_id, 'refund', p_amount, 'refund:' || p_key, p_now, p_hold,
      h.action, h.tool, h.run_id, h.campaign_id, h.key_prefix, p_reason);
    outcome := 'refunded';
  end $$;

alter function app.refund_credits(uuid, bigint, text, bigint, text) owner to outrider_definer;
revoke execute on function app.refund_credits(uuid, bigint, text, bigint, text) from public;
grant execute on function app.refund_credits(uuid, bigint, text, bigint, text) to outrider_app, outrider_executor;
