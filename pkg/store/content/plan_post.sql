-- Plans that a post goes out, as an action that the executor performs (app.claim_actions); one that is open already is
-- moved. Its key in the ledger is post and part, never the version: an edit opens no second publication.
-- `p_id`: of the action, where none is open. `p_due`, `p_expires`, `p_now`: epoch ms, product time; after `p_expires`
-- it does not begin. `p_by`: address or key of who asks. `p_part`: post, or comment of a post that is online.
-- Returns null, or why not: not_found, publishing (it is on its way, or nobody knows its outcome yet), already_sent.
-- Locks: as app.lock_post.
create or replace function app.plan_post(
  p_post uuid, p_part text, p_id uuid, p_due bigint, p_expires bigint, p_by text, p_now bigint
)
  returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    post content_post;
    spent text := 'c:' || p_post || ':' || p_part;
    known uuid;
    way text;
  begin
    perform app.lock_post(p_post);
    select * into post from content_post c where c.id = p_post;
    if not found or not app.may_use(post.workspace_id) then return 'not_found'; end if;
    select a.id, s.state
    into known, way
    from action a
    left join send s on s.id = a.send_id
    where a.once_key = spent and a.ended_at is null;
    if way in ('claimed', 'dispatched', 'unknown') then return 'publishing'; end if;
    if exists (select 1 from send_key k where k.key = spent) then return 'already_sent'; end if;
    if known is null then
      insert into action (
        id, workspace_id, campaign_id, content_post_id, account_id, action, budgets, once_key, body, target, due_at,
        expires_at, made_by, created_at
      )
      values (
        p_id, post.workspace_id, null, p_post, post.account_id, 'post',
        case p_part when 'post' then array['post'] else array['comment'] end, spent,
        case p_part when 'post' then post.text else post.first_comment end,
        jsonb_build_object('part', p_part, 'version', post.version, 'plannedFor', p_due),
        p_due, p_expires, p_by, p_now
      );
    else
      update action a
      set
        due_at = p_due,
        expires_at = p_expires,
        wait_reason = null,
        tries = 0,
        failing_since = null,
        target = a.target || jsonb_build_object('plannedFor', p_due)
      where a.id = known;
    end if;
    update content_post c
    set
      action_id = case p_part when 'post' then coalesce(known, p_id) else c.action_id end,
      comment_action_id = case p_part when 'comment' then coalesce(known, p_id) else c.comment_action_id end
    where c.id = p_post;
    perform app.wake_workspaces(array[post.workspace_id], p_due, 'a post was planned');
    return null;
  end $$;

alter function app.plan_post(uuid, text, uuid, bigint, bigint, text, bigint) owner to outrider_definer;
revoke execute on function app.plan_post(uuid, text, uuid, bigint, bigint, text, bigint) from public;
grant execute on function app.plan_post(uuid, text, uuid, bigint, bigint, text, bigint)
  to outrider_app, outrider_executor;
