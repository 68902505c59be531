-- Gives a hold back, since nothing was delivered. p_reason: for people. p_now: epoch ms UTC, product time. outcome:
-- released (also when it was before), or settled or expired: then nothing changes. 42501 for a hold of others. Locks:
-- the balance, then the hold.
create or replace function app.release_hold(p_hold uuid, p_now bigint, p_reason text, OUT outcome text)
  returns text
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
    outcome := h.state;
    if h.state <> 'held' then return; end if;
    update credit_hold c set state = 'released' where c.id = p_hold;
    perform app.post_credits(
      h.workspace_id, 'release', -h.amount, 'release:' || p_hold, p_now, p_hold, h.action, h.tool, h.run_id,
      h.campaign_id, h.key_prefix, p_reason
    );
    outcome := 'released';
  end $$;

alter function app.release_hold(uuid, bigint, text) owner to outrider_definer;
revoke execute on function app.release_hold(uuid, bigint, text) from public;
grant execute on function app.release_hold(uuid, bigint, text) to outrider_app, outrider_executor;
