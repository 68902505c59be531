-- Returns the accounts among these through which no post may go out now, since content is frozen (for the platform, the
-- workspace or the account), and until when (epoch ms, product time; null: nobody knows). `p_now`: epoch ms, product
-- time. app.stops_of tells every other stop.
create or replace function app.content_stop(p_workspace text, p_accounts text[], p_now bigint)
  returns table (account_id text, until bigint)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct on (a.id) a.id, f.until
    from unnest(p_accounts) as a (id)
    join send_freeze f on f.channel = 'content'
      and (f.until is null or f.until > p_now)
      and (
        f.scope = 'platform'
        or f.scope = 'workspace' and f.target = p_workspace
        or f.scope = 'account' and f.target = a.id
      )
    order by a.id, f.until desc nulls first
  $$;

alter function app.content_stop(text, text[], bigint) owner to outrider_definer;
revoke execute on function app.content_stop(text, text[], bigint) from public;
