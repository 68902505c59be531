-- Returns which of these mails answer ours: by the Message-IDs that they name, else by the sender's address in any
-- spelling, else by the domain of the lead with our subject, when all persons that fit are one. Of several sends it
-- takes the latest. It looks for Message-IDs that a provider gave, and for subjects, among the last 20,000 mails of
-- the mailbox; for our own Message-IDs, and for addresses by which persons are known, however long ago.
-- p_mails: [{uid, sendIds[], mentions[], from, domain, subject}]: ids of our sends and Message-IDs that the mail
-- names; domain null: a free-mail provider, which says nothing; subject in lower case, without prefixes such as Re:,
-- empty matches nothing.
-- Returns a row for each mail that answers: the send and whose mail it was, named: by Message-ID, writers: others to
-- whom we write at the sender's address, 20 at most.
create or replace function app.match_mails(p_account text, p_mails jsonb)
  returns table (uid bigint, send_id uuid, person_id uuid, named boolean, writers uuid[])
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
    with q as (
      select
        j.*,
        case when app.is_respelt(j."from") then app.mail_identity(j."from") else lower(j."from") end as mailbox
      from jsonb_to_recordset(p_mails) as j (
        uid bigint, "sendIds" uuid[], mentions text[], "from" text, domain text, subject text
      )
    ),
    -- A mail may answer the newest sends and, however long ago they left, those that one of the mails names and those
    -- to persons whom we know by their address.
    newest as materialized (
      select s.id, s.person_id, s.action, s.dispatched_at, s.target
      from send s
      where s.account_id = p_account
      order by s.claimed_at desc limit 20000
    ),
    older as materialized (
      select o.id, o.person_id, o.action, o.dispatched_at, o.target
      from (
        select unnest(q."sendIds") as id
        from q
        union
        select x.id
        from q
        cross join unnest(app.mail_hashes(q."from")) h (value)
        cross join lateral (
          select a.person_id
          from person_alias a
          where a.kind = 'mail' and a.value = h.value
          offset 0
        ) a
        cross join lateral (select r.id from run r where r.person_id = a.person_id offset 0) r
        cross join lateral (select x.id from send x where x.run_id = r.id offset 0) x
        union
        select x.id
        from q
        cross join unnest(app.mail_hashes(q."from")) h (value)
        cross join lateral (
          select a.person_id
          from person_alias a
          where a.kind = 'mail' and a.value = h.value
          offset 0
        ) a
        cross join lateral (select o.id from action o where o.person_id = a.person_id offset 0) o
        cross join lateral (select x.id from send x where x.action_id = o.id offset 0) x
      ) m
      cross join lateral (select * from send o where o.id = m.id and o.account_id = p_account offset 0) o
    ),
    s as materialized (
      select
        s.id,
        s.person_id,
        s.dispatched_at,
        lower(s.target ->> 'to') as addressee,
        s.target ->> 'givenId' as given_id,
        s.target ->> 'subject' as subject,
        case
          when app.is_respelt(s.target ->> 'to') then app.mail_identity(s.target ->> 'to')
          else lower(s.target ->> 'to')
        end as mailbox
      from (
        select *
        from newest
        union all
        select *
        from older
        where not exists (select 1 from newest n where n.id = older.id)
      ) s
      where s.action = 'mail' and s.dispatched_at is not null and app.may_use_account(p_account)
    ),
    -- It compares domains first, which few share: a subject costs most.
    alike as materialized (
      select n.uid, n.id, n.person_id, n.dispatched_at
      from (
        select q.uid, q.subject as asked, s.id, s.person_id, s.dispatched_at, s.subject
        from q
        join s on split_part(s.addressee, '@', 2) = q.domain
        where q.subject <> ''
        offset 0
      ) n
      where lower(app.plain_subject(n.subject)) = n.asked
    ),
    hits as materialized (
      select q.uid, s.id, s.person_id, 1 as rank, s.dispatched_at
      from q
      cross join unnest(q."sendIds") n (id)
      join s on s.id = n.id
      union all
      select q.uid, s.id, s.person_id, 1, s.dispatched_at
      from q
      cross join unnest(q.mentions) n (id)
      join s on s.given_id = n.id
      union all
      select q.uid, s.id, s.person_id, 2, s.dispatched_at
      from q
      join s on s.mailbox = q.mailbox
      union all
      select a.uid, a.id, a.person_id, 3, a.dispatched_at
      from alike a
      where (select count(distinct o.person_id) from alike o where o.uid = a.uid) = 1
    ),
    best as (
      select distinct on (hits.uid) hits.uid, hits.id, hits.person_id, hits.rank
      from hits
      order by hits.uid, hits.rank, hits.dispatched_at desc
    )
    select
      b.uid,
      b.id,
      b.person_id,
      b.rank = 1,
      array(
        select distinct h.person_id
        from hits h
        where h.uid = b.uid and h.rank = 2 and h.person_id <> b.person_id
        order by 1 limit 20
      )
    from best b
  $$;

alter function app.match_mails(text, jsonb) owner to outrider_definer;
revoke execute on function app.match_mails(text, jsonb) from public;
grant execute on function app.match_mails(text, jsonb) to outrider_executor;
