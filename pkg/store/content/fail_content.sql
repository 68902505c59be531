-- Keeps that a part of a post did not go out, or that nobody knows, tells it, and notes it in the post's history.
-- `p_at`: epoch ms, product time. `p_known`: whether it is proven that it is not online.
create or replace function app.fail_content(
  p_post uuid, p_part text, p_code text, p_message text, p_attempts int, p_known boolean, p_at bigint
)
  returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    with failed as (
      update content_post c
      set
        failure = jsonb_build_object(
          'code', p_code, 'message', p_message, 'attempts', p_attempts, 'at', p_at, 'outcomeKnown', p_known,
          'part', p_part
        ),
        updated_at = p_at
      where c.id = p_post and app.may_use(c.workspace_id)
      returning c.workspace_id
    ),
    marked as (
      insert into content_mark (workspace_id, post_id, at, kind, actor, text, data)
      select f.workspace_id, p_post, p_at, 'failed', 'engine', p_message,
        jsonb_build_object('part', p_part, 'code', p_code, 'outcomeKnown', p_known)
      from failed f
    )
    insert into run_event (workspace_id, at, kind, actor, text, data)
    select f.workspace_id, p_at, 'content.failed', 'engine', p_message,
      jsonb_build_object('contentPostId', p_post, 'part', p_part, 'code', p_code)
    from failed f
  $$;

alter function app.fail_content(uuid, text, text, text, int, boolean, bigint) owner to outrider_definer;
revoke execute on function app.fail_content(uuid, text, text, text, int, boolean, bigint) from public;
grant execute on function app.fail_content(uuid, text, text, text, int, boolean, bigint) to outrider_executor;
