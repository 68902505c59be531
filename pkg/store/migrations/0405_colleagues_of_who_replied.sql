-- stopCompanyOnReply ended the sequences of colleagues who were under way, and let the next feed write to another of them. After a reply
-- the company is left alone in that campaign: nobody of it is enrolled, or handed over to it, any more. Who is enrolled at the moment of the
-- reply is seen by one of the two, since both take a lock of the campaign; campaigns without the policy take none and look for nothing.
set local search_path = outrider, app, public;

create index lead_overlay_replied on outrider.lead_overlay (workspace_id, lead_id) where last_replied_at is not null;

-- Who replied in a campaign, with the key of their company; a notice of absence is no reply.
create function app.answered_companies(p_workspace text, p_campaign text) returns table (lead_id uuid, company_key text)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select distinct l.id, l.company_key from lead_overlay o
      join run r on r.workspace_id = o.workspace_id and r.lead_id = o.lead_id and r.campaign_id = p_campaign
      join lead l on l.id = o.lead_id
    where app.may_use(p_workspace) and o.workspace_id = p_workspace and o.last_replied_at is not null and l.company_key <> ''
      and coalesce(r.facts ->> 'replyClass', 'out_of_office') <> 'out_of_office'
  $$;
revoke execute on function app.answered_companies(text, text) from public;
grant execute on function app.answered_companies(text, text) to outrider_definer, outrider_owner;
alter function app.answered_companies(text, text) owner to outrider_definer;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.enrol(text, text, bigint, uuid[], uuid[], text, text)'::regprocedure);
  after := replace(before, '''workspace'') as scope
      into flow', '''workspace'') as scope,
           coalesce((c.settings -> ''contactPolicy'' ->> ''stopCompanyOnReply'')::boolean, false) as stops_company
      into flow');
  after := replace(after, '    perform app.resolve_persons(p_leads, p_now);
', '    perform app.resolve_persons(p_leads, p_now);
    if flow.stops_company then perform pg_advisory_xact_lock_shared(hashtextextended(''colleagues:'' || flow.campaign_id, 0)); end if;
');
  after := replace(after, '    judged as (
      select k.*', '    answered as materialized (select a.lead_id, a.company_key from app.answered_companies(p_workspace, flow.campaign_id) a where flow.stops_company),
    colleagues as materialized (
      select distinct l.id from unnest(p_leads) u (id) join lead l on l.id = u.id join answered a on a.company_key = l.company_key and a.lead_id <> l.id
    ),
    judged as (
      select k.*');
  after := replace(after, 'when x.source is not null then ''suppressed''
', 'when x.source is not null then ''suppressed''
        when k.lead_id in (select c.id from colleagues c) then ''suppressed''
');
  if (select count(*) from regexp_matches(after, 'stops_company', 'g')) <> 3 or (select count(*) from regexp_matches(after, 'from colleagues c', 'g')) <> 1
      or (select count(*) from regexp_matches(after, 'colleagues as materialized', 'g')) <> 1 then
    raise exception 'app.enrol does not read as expected';
  end if;
  execute after;

  before := pg_get_functiondef('app.hand_off(bigint, jsonb)'::regprocedure);
  after := replace(before, 'array[r.lead_id], p_now)) then ''suppressed''
', 'array[r.lead_id], p_now)) then ''suppressed''
        when f.campaign_id <> r.from_campaign and (f.settings -> ''contactPolicy'' ->> ''stopCompanyOnReply'')::boolean
          and exists (select 1 from app.answered_companies(ws, f.campaign_id) a join lead l on l.id = r.lead_id and l.company_key = a.company_key and l.id <> a.lead_id)
          then ''suppressed''
');
  if after = before then raise exception 'app.hand_off does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.record_reply(bigint, text, uuid, bigint, text, bigint)'::regprocedure);
  after := replace(before, '    -- stopCompanyOnReply: colleagues in the same campaign are left alone too.
', '    -- stopCompanyOnReply: colleagues in the same campaign are left alone too, also those whose enrolment is not committed yet.
    perform pg_advisory_xact_lock(hashtextextended(''colleagues:'' || k.id, 0)) from (
      select distinct c.id from run u join campaign c on c.id = u.campaign_id
      where u.id = any (runs) and (c.settings -> ''contactPolicy'' ->> ''stopCompanyOnReply'')::boolean and p_class <> ''out_of_office'' order by 1) k;
');
  if after = before then raise exception 'app.record_reply does not read as expected'; end if;
  execute after;
end $$;
