-- Pauses the mailbox of the account for p_why, for app.judge_mailbox, unless it was resumed since that judgement began
-- (judged_since is no longer p_judged_since, epoch ms of product time): the next round judges it by what came since.
-- A mailbox that paused itself before keeps its reason. Returns p_why, null where it was resumed. Locks: the account,
-- then the mailbox.
create or replace function app.pause_mailbox(p_account text, p_why text, p_judged_since bigint) returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    rests boolean;
  begin
    select a.paused
    into rests
    from network_account a
    where a.id = p_account
    for no key update;
    perform 1 from mailbox where account_id = p_account and judged_since = p_judged_since;
    if not found then return null; end if;
    update mailbox
    set pause_reason = p_why
    where account_id = p_account and (pause_reason = '' or not rests);
    if found then update network_account set paused = true where id = p_account; end if;
    return p_why;
  end $$;

alter function app.pause_mailbox(text, text, bigint) owner to outrider_definer;
revoke execute on function app.pause_mailbox(text, text, bigint) from public;
