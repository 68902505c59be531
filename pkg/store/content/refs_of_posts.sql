-- Returns what the network calls the posts that went out through an account, whichever workspace asked for them, the
-- newest 500, without that of the send `p_send` ('': without none). Only an account that is linked to the executor's
-- workspace.
create or replace function app.refs_of_posts(p_account text, p_send text) returns setof text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select p.social_id
    from content_post p
    left join action a on a.id = p.action_id
    where p.account_id = p_account
      and p.social_id is not null
      and a.send_id::text is distinct from p_send
      and exists (
        select 1
        from account_link l
        where l.account_id = p_account and l.workspace_id = app.workspace()
      )
    order by p.published_at desc limit 500
  $$;

alter function app.refs_of_posts(text, text) owner to outrider_definer;
revoke execute on function app.refs_of_posts(text, text) from public;
grant execute on function app.refs_of_posts(text, text) to outrider_executor;
