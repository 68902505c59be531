-- Replies come by mail too, and an address that bounces bars mail, not the person.
set local search_path = outrider, app, public;

-- A reply stops what is planned for the person in every workspace of the account, in this one transaction: claimed sends and
-- drafts are cancelled, runs become `replied` (out of office: until p_resume_at), "stop" suppresses. Returns touched runs.
-- p_at: when the person wrote (product time); a reply that is already known changes nothing.
create or replace function app.record_reply(p_now bigint, p_account text, p_person uuid, p_at bigint, p_class text, p_resume_at bigint) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    runs uuid[];
    sends uuid[];
    channel text;
  begin
    if not app.may_use_account(p_account) then return 0; end if;
    select kind into channel from network_account where id = p_account;
    select array_agg(x.id) into runs from (
      select r.id from run r where r.person_id = p_person and r.ended_at is null and coalesce((r.facts ->> 'lastReplyAt')::bigint, 0) < p_at
        and r.started_at <= p_at and r.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
      order by r.id for no key update) x;
    insert into lead_overlay as o (workspace_id, lead_id, last_replied_at)
      select distinct r.workspace_id, r.lead_id, p_at from run r where r.id = any (runs)
      on conflict (workspace_id, lead_id) do update set last_replied_at = greatest(o.last_replied_at, excluded.last_replied_at);
    if p_class = 'unsubscribe' then
      insert into suppression (id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at)
        select gen_random_uuid(), l.workspace_id, 'workspace', 'person', p_person::text, p_person, 'unsubscribe', 'asked to stop', false, 'account-sync', p_now
        from account_link l where l.account_id = p_account
          and not exists (select 1 from suppression s where s.workspace_id = l.workspace_id and s.person_id = p_person and s.source = 'unsubscribe');
    end if;
    if runs is null then return 0; end if;
    select array_agg(s.id) into sends from send s where s.run_id = any (runs) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, p_now); end if;
    update review_item set state = 'cancelled', reason = 'the lead replied', decided_at = p_now, decided_by = 'engine' where run_id = any (runs) and state in ('pending', 'approved');
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select r.workspace_id, r.id, p_at, 'reply.received', r.node_id, 'lead', '', jsonb_build_object('class', p_class, 'channel', channel, case channel when 'network' then 'networkAccountId' else 'providerAccountId' end, p_account) from run r where r.id = any (runs);
    update run r set
        facts = r.facts || jsonb_build_object('replied', true, 'replyClass', p_class, 'lastReplyAt', p_at, 'replyChannel', channel)
          || case when channel = 'network' then '{"connected": true}'::jsonb else '{}'::jsonb end,
        state = case when r.state = 'paused' then r.state when p_class = 'unsubscribe' then 'suppressed' else 'replied' end,
        wait_reason = case when p_class = 'out_of_office' then 'until_time' end,
        due_at = case when r.state = 'paused' or p_class = 'unsubscribe' then null when p_class = 'out_of_office' then coalesce(p_resume_at, p_now + 604800000) else p_now end,
        ended_at = case when p_class = 'unsubscribe' then p_now end,
        end_reason = case when p_class = 'unsubscribe' then 'unsubscribed' end,
        send_id = case when r.send_id = any (sends) then null else r.send_id end
      where r.id = any (runs);
    -- stopCompanyOnReply: colleagues in the same campaign are left alone too.
    update run r set state = 'stopped', ended_at = p_now, end_reason = 'a colleague replied', due_at = null, wait_reason = null
      from run u join campaign c on c.id = u.campaign_id join lead l on l.id = u.lead_id
        join lead l2 on l2.company_key = l.company_key and l2.company_key <> '' and l2.id <> l.id
      where u.id = any (runs) and (c.settings -> 'contactPolicy' ->> 'stopCompanyOnReply')::boolean and p_class <> 'out_of_office'
        and r.campaign_id = u.campaign_id and r.lead_id = l2.id and r.ended_at is null and not r.id = any (runs);
    perform app.wake_workspaces((select array_agg(r.workspace_id) from run r where r.id = any (runs) and r.ended_at is null), p_now, 'reply');
    return cardinality(runs);
  end $$;

-- Which of these leads must not be contacted, and by which source of suppression (one each), erasure among them. The
-- forms that cost time are made only while anybody uses that kind. A bounced address is the business of the mail node.
create or replace function app.suppressed_leads(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with w as (select id, agency_id from workspace where id = p_workspace and app.may_use(p_workspace)),
    used as materialized (select exists (select 1 from suppression where kind = 'name_company') as name_company,
      exists (select 1 from suppression where kind = 'keyword') as keyword, exists (select 1 from suppression where kind = 'domain') as domain),
    l as materialized (
      select x.id, x.person_id, x.email, lower(x.email) as mail, x.profile_id,
        case when used.domain then app.domains_above(split_part(lower(x.email), '@', 2)) || app.domains_above(lower(x.company_domain)) end as domains,
        case when used.name_company and x.company_key <> '' then nullif(app.plain_words(x.full_name), '') || '@' || x.company_key end as name_company,
        case when used.keyword then ' ' || app.company_key(x.company) || ' | ' || app.company_key(x.title) || ' | ' || app.company_key(x.headline) || ' ' end as words
      from lead x cross join used where x.id = any (p_leads)
    ),
    hit as (
      select l.id, s.id as suppression_id from l join suppression s on s.person_id = l.person_id
      union all select l.id, s.id from l join suppression s on s.kind = 'person' and s.value = l.person_id::text
      union all select l.id, s.id from l join suppression s on s.kind = 'mail' and s.value in (l.mail, app.mail_hash(l.mail))
      union all select l.id, s.id from l join suppression s on s.kind = 'domain' and s.value = any (l.domains)
      union all select l.id, s.id from l join suppression s on s.kind = 'profile' and s.value = l.profile_id
      union all select l.id, s.id from l join suppression s on s.kind = 'name_company' and s.value = l.name_company
      union all select l.id, s.id from l join suppression s on s.kind = 'keyword' and s.value <> '' and position(' ' || s.value || ' ' in l.words) > 0
    ),
    found as (
      select hit.id, s.source
      from hit join suppression s on s.id = hit.suppression_id cross join w
      where s.applies_to = 'all_outreach' and s.source <> 'bounce' and (s.expires_at is null or s.expires_at > p_now)
        and (s.level = 'platform' or (s.level = 'agency' and s.agency_id = w.agency_id)
          or (s.level = 'workspace' and s.workspace_id = w.id) or (s.level = 'campaign' and s.workspace_id = w.id and s.campaign_id = p_campaign))
      union all
      select l.id, 'erasure' from l cross join w cross join lateral (
          values ('mail:' || app.mail_identity(l.email)), ('profile:' || l.profile_id)) i (identity)
        where (select exists (select 1 from erasure_tombstone t where t.workspace_id = p_workspace)) and i.identity is not null
          and exists (select 1 from erasure_tombstone t where t.workspace_id = p_workspace and t.hash = app.erasure_hash(p_workspace, i.identity))
    )
    select distinct on (found.id) found.id, found.source from found order by found.id, found.source
  $$;
