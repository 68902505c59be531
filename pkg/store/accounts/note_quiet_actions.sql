-- Notes the first action of accounts that is a passive one: from then on their ramp-up counts (p_now, epoch ms).
-- Later passive actions write the account's budgets alone. Locks: accounts by id.
create or replace function app.note_quiet_actions(p_now bigint, p_accounts text[]) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    update network_account a
    set last_action_at = p_now, first_send_at = p_now
    from (select unnest(p_accounts) as id order by 1) x
    where a.id = x.id and a.first_send_at is null
  $$;

alter function app.note_quiet_actions(bigint, text[]) owner to outrider_definer;
revoke execute on function app.note_quiet_actions(bigint, text[]) from public;
