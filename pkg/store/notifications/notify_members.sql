-- Tells members of the caller's workspace; the same origin tells each of them once. When none of those that a row
-- names is a member (any more), it tells the owner and the admins.
-- p_now: product time, epoch ms. p_rows: [{members: [user or member id], title, text, data, nextTool, kind, origin}].
-- Returns how many notifications it made. Error OU001: the lease of the workspace is stale.
create or replace function app.notify_members(p_now bigint, p_rows jsonb) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    told int;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    insert into notification (id, workspace_id, user_id, kind, title, text, data, next_tool, origin, created_at)
    select
      gen_random_uuid(), ws, m.user_id, q.kind, q.title, q.text, coalesce(q.data, '{}'), q."nextTool", q.origin,
      p_now
    from jsonb_to_recordset(p_rows) as q (
      members text[], title text, text text, data jsonb, "nextTool" text, kind text, origin text
    )
    join member m
      on m.workspace_id = ws
        and (
          m.user_id::text = any (q.members)
          or m.id::text = any (q.members)
          or m.role in ('owner', 'admin')
            and not exists (
              select 1
              from member o
              where o.workspace_id = ws
                and (o.user_id::text = any (q.members) or o.id::text = any (q.members))
            )
        )
    on conflict do nothing;
    get diagnostics told = row_count;
    return told;
  end $$;

alter function app.notify_members(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.notify_members(bigint, jsonb) from public;
grant execute on function app.notify_members(bigint, jsonb) to outrider_executor;
