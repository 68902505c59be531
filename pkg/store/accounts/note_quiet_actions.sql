-- The first action of an account is noted, from when on its ramp-up counts (p_now, epoch ms), when it is one that
-- reaches nobody; later ones of that kind write its budgets alone. Locks accounts by id.
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
