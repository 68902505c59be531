-- Returns when these accounts published a post last, whichever workspace asked for it (epoch ms, product time); an
-- account whose post is on its way counts as doing so now. Accounts that never did are left out.
-- `p_now`: epoch ms, product time. Only accounts that are linked to the executor's workspace.
create or replace function app.last_posts(p_accounts text[], p_now bigint)
  returns table (account_id text, at bigint)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select l.account_id, x.at
    from account_link l
    cross join lateral (
      select max(coalesce(p.published_at, p_now)) as at
      from content_post p
      left join action a on a.id = p.action_id and a.ended_at is null
      left join send s on s.id = a.send_id
      where p.account_id = l.account_id
        and (
          p.published_at is not null
          or p.state = 'scheduled' and s.state in ('claimed', 'dispatched', 'unknown')
        )
    ) x
    where l.workspace_id = app.workspace() and l.account_id = any (p_accounts) and x.at is not null
  $$;

alter function app.last_posts(text[], bigint) owner to outrider_definer;
revoke execute on function app.last_posts(text[], bigint) from public;
grant execute on function app.last_posts(text[], bigint) to outrider_executor;
