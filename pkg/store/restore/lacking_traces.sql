-- Returns which of these traces at the provider the ledger lacks. It knows a message by its id, as the same text that
-- we sent to the person, or as one that account sync noted before this server started (what it noted since may be
-- what a restored database lacks); a request by its key, by the relation, or as noted by hand before that start; a post
-- by its id, or as the same text on its way.
-- p_traces: [{kind: message, inmail, connection_request or post, ref: the provider's id, providerId, publicId: of the
-- person, text, at}]. trace: place in p_traces, from 0; person_id: null for nobody we know; of_lead: the person is
-- being followed through this account; ours: the text is one of our nodes', or of a post that is
-- still to go out. Nothing for an account that the caller
-- may not use.
create or replace function app.lacking_traces(p_account text, p_traces jsonb)
  returns table (trace int, person_id uuid, of_lead boolean, ours boolean)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    with t as (
      select (x.ord - 1)::int as trace, q.*
      from jsonb_array_elements(p_traces) with ordinality x (item, ord)
      cross join lateral jsonb_to_record(x.item) as q (
        kind text, ref text, "providerId" text, "publicId" text, text text, at bigint
      )
      where app.may_use_account(p_account)
    ),
    p as (
      select
        t.*,
        coalesce(
          (
            select r.person_id
            from relation r
            where r.account_id = p_account and r.provider_id = t."providerId"
            order by exists (select 1 from run u where u.person_id = r.person_id and u.ended_at is null) desc, 1
            limit 1
          ),
          (
            select a.person_id
            from person_alias a
            where a.kind = 'profile'
              and a.value = lower(t."publicId")
              and a.scope in (
                select app.person_scope(l.workspace_id)
                from account_link l
                where l.account_id = p_account
              )
            order by exists (select 1 from run u where u.person_id = a.person_id and u.ended_at is null) desc, 1
            limit 1
          )
        ) as person_id,
        -- It is online since about the time for which it is planned, and the ledger thinks that it is still to go out.
        exists (
          select 1
          from content_post c
          where t.kind = 'post'
            and c.account_id = p_account
            and c.state = 'scheduled'
            and c.scheduled_at <= coalesce(t.at, c.scheduled_at) + 3600000
            and app.plain_text(c.text) = app.plain_text(t.text)
        ) as planned
      from t
    )
    select
      p.trace,
      p.person_id,
      exists (
        select 1
        from run u
        join account_link l on l.workspace_id = u.workspace_id and l.account_id = p_account
        where u.person_id = p.person_id and u.ended_at is null
      ),
      case p.kind
        when 'post' then p.planned
        else exists (select 1 from app.nodes_of_text(p_account, p.kind, p.text))
      end
    from p
    where case
      when p.kind = 'post'
        then not exists (select 1 from send s where s.account_id = p_account and s.provider_ref = p.ref)
          and not exists (select 1 from content_post c where c.account_id = p_account and c.social_id = p.ref)
          and not exists (
            select 1
            from send s
            where s.account_id = p_account
              and s.action = 'post'
              and s.state in ('dispatched', 'confirmed', 'unknown')
              and app.plain_text(s.body) = app.plain_text(p.text)
          )
      when p.kind in ('message', 'inmail')
        then not exists (select 1 from send s where s.account_id = p_account and s.provider_ref = p.ref)
          and not exists (
            select 1
            from send s
            where s.account_id = p_account
              and s.person_id = p.person_id
              and s.action in ('message', 'inmail')
              and s.state in ('dispatched', 'confirmed', 'unknown')
              and app.plain_text(s.body) = app.plain_text(p.text)
          )
          and not exists (
            select 1
            from message m
            where m.account_id = p_account
              and m.external_id = p.ref
              and (m.noted_start is null or m.noted_start < pg_postmaster_start_time())
          )
      else not exists (select 1 from send_key k where k.key = 'r:' || p_account || ':' || p.person_id)
          and not exists (
            select 1
            from relation r
            where r.account_id = p_account and r.person_id = p.person_id and r.state <> 'none'
          )
          and not exists (
            select 1
            from hand_action h
            where h.account_id = p_account
              and h.action = p.kind
              and h.ref = p.ref
              and (h.noted_start is null or h.noted_start < pg_postmaster_start_time())
          )
    end
  $$;

alter function app.lacking_traces(text, jsonb) owner to outrider_definer;
revoke execute on function app.lacking_traces(text, jsonb) from public;
grant execute on function app.lacking_traces(text, jsonb) to outrider_executor, outrider_owner;
