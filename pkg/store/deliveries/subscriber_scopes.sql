-- Returns what the one who chose the events of an endpoint may read in its workspace now: the scopes of the key, of a
-- user's key only while the user is a member there and no more than their limit; without a key those of the user as a
-- member ('*': all). Nothing once the key is revoked or the membership is over.
create or replace function app.subscriber_scopes(p_workspace text, p_key uuid, p_user uuid) returns text[]
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(
      case
        when p_key is null then (
          select coalesce(m.scope_limit, array['*'])
          from member m
          where m.user_id = p_user and m.workspace_id = p_workspace
        )
        else (
          select case
            when k.workspace_id is not null then k.scopes
            else array(select s from unnest(k.scopes) s where m.scope_limit is null or s = any (m.scope_limit))
          end
          from api_key k
          left join member m on m.user_id = k.user_id and m.workspace_id = p_workspace
          where k.id = p_key
            and k.revoked_at is null
            and (
              k.workspace_id = p_workspace
              or (m.id is not null and (k.only_workspaces is null or p_workspace = any (k.only_workspaces)))
            )
        )
      end,
      '{}'
    )
  $$;

alter function app.subscriber_scopes(text, uuid, uuid) owner to outrider_definer;
revoke execute on function app.subscriber_scopes(text, uuid, uuid) from public;
grant execute on function app.subscriber_scopes(text, uuid, uuid) to outrider_app;
