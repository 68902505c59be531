-- Keeps what the comparison of an account with its provider said (restore guard).
-- p_lacking: how many sends the provider shows that the ledger lacks; with 0 the account may act on the running
-- server. p_proof: a text or a Message-ID of ours is among them; then the ledger is older than what was sent, and a
-- freeze of the platform stops everything. Without that proof only the account stops, for a person to look at.
-- p_detail: the reason of the freeze, which names `outrider reconcile`. p_now: product time, epoch ms. A freeze that
-- is there stays. It does nothing for an account that the caller may not use.
create or replace function app.report_account(
  p_account text, p_now bigint, p_lacking int, p_proof boolean, p_detail text
)
  returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not app.may_use_account(p_account) then return; end if;
    insert into account_guard as g (account_id, checked_start, lacking, proof, detail)
    values (
      p_account,
      case when p_lacking = 0 then pg_postmaster_start_time() end,
      p_lacking,
      p_proof,
      p_detail
    )
    on conflict (account_id) do update set
      checked_start = excluded.checked_start,
      lacking = excluded.lacking,
      proof = excluded.proof,
      detail = excluded.detail;
    if p_lacking = 0 then return; end if;
    insert into send_freeze (id, scope, target, channel, reason, frozen_by, since)
    select
      gen_random_uuid(),
      case when p_proof then 'platform' else 'account' end,
      case when p_proof then 'restore' else p_account end,
      '',
      p_detail,
      'outrider',
      p_now
    on conflict (scope, target, channel) do nothing;
  end $$;

alter function app.report_account(text, bigint, int, boolean, text) owner to outrider_definer;
revoke execute on function app.report_account(text, bigint, int, boolean, text) from public;
grant execute on function app.report_account(text, bigint, int, boolean, text) to outrider_executor, outrider_owner;
