-- Returns the requests of a batch with what is written of their runs, their campaigns' policies and their accounts.
-- It leaves out requests for runs of other workspaces.
-- `ord`: place in the batch; `gone`: the run has ended or is paused; `send_key`: what may happen once (enums: person
-- + workflow + node, or account + person for ever); `company_key`: null where the request reaches nobody of a
-- company.
create or replace function app.judge_requests(p_workspace text, p_requests jsonb)
  returns table (
    ord bigint, run_id uuid, send_id uuid, node_id text, account_id text, action text, budgets text[],
    body text, target jsonb, at_once boolean, not_before bigint, contact boolean, workflow_id text,
    campaign_id text, lead_id uuid, person_id uuid, gone boolean, held boolean, replied boolean, send_key text,
    scope_key text, dedupe_scope text, agency_id text, recontact_ms bigint, touch_ms bigint, company_key text,
    company_limit int, zone text, unpaced boolean
  )
  language sql stable
  as $$
    with q as materialized (
      select row_number() over () as ord, x.*, app.is_contact(x.action) as contact
      from jsonb_to_recordset(p_requests) as x (
        "runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], once text,
        body text, target jsonb, "notBefore" bigint, "atOnce" boolean
      )
    ),
    u as materialized (
      select
        u.id,
        u.workflow_id,
        u.campaign_id,
        u.person_id,
        u.lead_id,
        u.ended_at is not null or u.state = 'paused' as gone,
        app.has_replied(u.facts) as replied
      from (select distinct q."runId" as id from q) k
      join run u on u.id = k.id
      where (u.workspace_id = p_workspace) is true
    ),
    policies as materialized (
      select c.*
      from (select array_agg(distinct u.campaign_id) as ids from u) k
      cross join lateral app.judge_policy(p_workspace, k.ids) c
    )
    select
      q.ord,
      q."runId",
      q."sendId",
      q."nodeId",
      q."accountId",
      q.action,
      q.budgets,
      q.body,
      q.target,
      coalesce(q."atOnce", false) and app.is_harmless(q.action),
      q."notBefore",
      q.contact,
      u.workflow_id,
      u.campaign_id,
      u.lead_id,
      u.person_id,
      u.gone,
      u.id::text in (select h.id from hold h where h.kind = 'run'),
      u.replied and c.stop_on_reply,
      case q.once
        when 'account' then 'r:' || q."accountId" || ':' || u.person_id
        else 'm:' || u.person_id || ':' || u.workflow_id || ':' || q."nodeId"
      end,
      case c.dedupe_scope when 'account' then c.scope_key || q."accountId" else c.scope_key end,
      c.dedupe_scope,
      c.agency_id,
      c.recontact_ms,
      c.touch_ms,
      nullif(l.company_key, ''),
      c.company_limit,
      a.timezone,
      (a.pacing ->> 'maxGapSeconds')::float8 = 0
    from q
    join u on u.id = q."runId"
    join policies c on c.campaign_id = u.campaign_id
    left join lateral (select n.company_key from lead n where n.id = u.lead_id and q.contact limit 1) l on true
    left join lateral (select n.timezone, n.pacing from network_account n where n.id = q."accountId" limit 1) a
      on true
  $$;

grant execute on function app.judge_requests(text, jsonb) to outrider_definer;
