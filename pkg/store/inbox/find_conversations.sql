-- Searches an inbox by name or words: returns ids of a page of the workspace's conversations, newest first, before
-- (p_at, p_id) where they are given. It looks through the newest 500 of each account and, where they fill no page,
-- gathers matches by index.
-- p_account, p_class null: any. p_pattern: a LIKE pattern that finds its text anywhere. Null where neither way may
-- decide: the page is not full and the text has no three characters for the index. Empty where the caller may not use
-- the workspace. It is a definer function, since under row-level security `ilike` uses no index.
create or replace function app.find_conversations(
  p_workspace text, p_account text, p_unread boolean, p_class text, p_pattern text, p_at bigint, p_id uuid,
  p_limit int
)
  returns uuid[]
  language plpgsql stable security definer
  set search_path = outrider, app, public, pg_catalog
  -- planner: in_order
  as $$
  declare
    walk constant int := 500;
    accounts text[] := array(
      select k.account_id
      from account_link k
      where k.workspace_id = p_workspace and (p_account is null or k.account_id = p_account)
    );
    at bigint := coalesce(p_at, 9223372036854775807);
    before uuid := coalesce(p_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    found_ids uuid[];
    seen_to bigint;
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    -- Of an account that has older ones nobody knows what lies behind the last at which this looked.
    with looked as materialized (
      select x.*
      from unnest(accounts) a (id)
      cross join lateral (
        select c.*, row_number() over (order by c.last_message_at desc, c.id desc) as place
        from conversation c
        where c.account_id = a.id and (c.last_message_at, c.id) < (at, before)
        order by c.last_message_at desc, c.id desc limit walk
      ) x
    ),
    known as (select max(l.last_message_at) as at from looked l where l.place = walk)
    select
      k.at,
      array(
        select l.id
        from looked l
        where (k.at is null or l.last_message_at > k.at)
          and (not p_unread or l.unread > 0)
          and (p_class is null or l.reply_class = p_class)
          and (l.participant_name ilike p_pattern or l.preview ilike p_pattern)
        order by l.last_message_at desc, l.id desc limit p_limit
      )
    into seen_to, found_ids
    from known k;
    if seen_to is null or cardinality(found_ids) >= p_limit then return found_ids; end if;
    if p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
    return array(
      select g.id
      from (
        select c.id, c.last_message_at
        from conversation c
        where (c.participant_name ilike p_pattern or c.preview ilike p_pattern)
          and c.account_id = any (accounts)
          and (c.last_message_at, c.id) < (at, before)
          and (not p_unread or c.unread > 0)
          and (p_class is null or c.reply_class = p_class)
        offset 0
      ) g
      order by g.last_message_at desc, g.id desc limit p_limit
    );
  end $$;

alter function app.find_conversations(text, text, boolean, text, text, bigint, uuid, int) owner to outrider_definer;
revoke execute on function app.find_conversations(text, text, boolean, text, text, bigint, uuid, int) from public;
grant execute on function app.find_conversations(text, text, boolean, text, text, bigint, uuid, int) to outrider_app;
