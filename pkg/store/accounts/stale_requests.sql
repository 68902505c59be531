-- Returns connection requests of a campaign of the lease's workspace that have waited for an answer since before
-- p_before, the oldest first, after a place in that order (p_after_at, p_after_person; null: from the first). All times
-- epoch ms, product time. Only requests that the campaign sent: others of the account are not its own to withdraw.
create or replace function app.stale_requests(
  p_campaign text, p_before bigint, p_after_at bigint, p_after_person uuid, p_limit int
)
  returns table (account_id text, person_id uuid, lead_id uuid, requested_at bigint)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select x.account_id, x.person_id, s.lead_id, x.requested_at
    from (
      select r.account_id, r.person_id, r.requested_at
      from account_link l
      join relation r on r.account_id = l.account_id
      where l.workspace_id = app.workspace()
        and r.state = 'pending'
        and r.requested_at <= p_before
        and (p_after_at is null or (r.requested_at, r.person_id) > (p_after_at, p_after_person))
      offset 0
    ) x
    join send_key k on k.key = 'r:' || x.account_id || ':' || x.person_id
    join send s on s.id = k.send_id
    where s.workspace_id = app.workspace() and s.campaign_id = p_campaign
    order by x.requested_at, x.person_id
    limit p_limit
  $$;

alter function app.stale_requests(text, bigint, bigint, uuid, int) owner to outrider_definer;
revoke execute on function app.stale_requests(text, bigint, bigint, uuid, int) from public;
grant execute on function app.stale_requests(text, bigint, bigint, uuid, int) to outrider_executor;
