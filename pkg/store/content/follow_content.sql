-- Trigger where an action of a post changes: what becomes of the action becomes of the post, in the same transaction.
-- A post that went out is published, its first comment is planned, and when it is looked at first; a failure stays with
-- the post. An action that the post does not name any more (a tool stopped it) changes nothing.
create or replace function app.follow_content() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    post content_post;
    part text := new.target ->> 'part';
    at bigint := coalesce(new.ended_at, new.due_at, 0);
    ref text;
  begin
    if new.state is not distinct from old.state then return null; end if;
    select * into post from content_post c where c.id = new.content_post_id for update;
    if not found
      or new.id is distinct from (case part when 'post' then post.action_id else post.comment_action_id end) then
      return null;
    end if;
    if new.state = 'open' then
      -- A person retries what had failed.
      update content_post c set failure = null where c.id = post.id;
      return null;
    end if;
    if new.state <> 'done' then
      perform app.fail_content(
        post.id, part, coalesce(new.outcome, new.state), coalesce(new.error, ''), new.tries + 1,
        new.error is distinct from 'its outcome stays unknown: the dead letter was discarded', at
      );
      return null;
    end if;
    select s.provider_ref into ref from send s where s.id = new.send_id;
    insert into content_mark (workspace_id, post_id, at, kind, actor, data)
    values (post.workspace_id, post.id, at, 'published', 'engine', jsonb_build_object('part', part, 'ref', ref));
    if part = 'comment' then
      update content_post c
      set
        comment_published_at = at,
        failure = case when c.failure ->> 'part' = 'comment' then null else c.failure end,
        updated_at = at
      where c.id = post.id;
      return null;
    end if;
    update content_post c
    set
      state = 'published',
      published_at = at,
      social_id = ref,
      external_url = 'https://www.linkedin.com/feed/update/' || ref,
      failure = null,
      updated_at = at
    where c.id = post.id;
    insert into schedule (id, workspace_id, kind, name, once_at, enabled, next_for, next_at, created_at)
    values (
      post.id, post.workspace_id, 'content_looks', 'Looks at a post', at + 120000, true, at + 120000, at + 120000, at
    )
    on conflict (id) do nothing;
    perform app.wake_workspaces(array[post.workspace_id], at + 120000, 'a post is looked at');
    if post.first_comment is not null then
      perform app.plan_post(post.id, 'comment', gen_random_uuid(), at, at + 86400000, new.made_by, at);
    end if;
    return null;
  end $$;

alter function app.follow_content() owner to outrider_definer;
revoke execute on function app.follow_content() from public;
