import type { SignalType } from '../../domain/signal-score.ts';
import type { Verdict } from '../../domain/signals/judge-text.ts';
import type { MatchedLead } from '../../domain/signals/match-criteria.ts';
import { type OwnIdentity, OwnPeople } from '../../domain/signals/own-people.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** Where a walk over signals stands: when the last one was detected, and its id. */
export type SignalPlace = readonly [number, string];

/** Comes before every id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Leads of a company that one signal of it is about at most. */
const MOST_OF_COMPANY = 50;
/** Characters of title and evidence that a decision looks at. */
const MOST_SAID = 2_000;

/** A signal and a person whom it is about. Times epoch ms, product time. */
export interface SeenSignal {
  signalId: string;
  /** The lead; of a company of which nobody is known the company. */
  subjectId: string;
  leadId: string | null;
  /** It is about everybody of a company. */
  ofCompany: boolean;
  type: string;
  expiresAt: number;
  said: string;
  selfCaused: boolean;
  /** What somebody said of it to what the agent asks; null: nobody yet. */
  judged: Verdict | null;
  profileUrl: string;
  email: string | null;
  /** Credits: a scan of this agent brought the person, by whichever signal they are found now, and was not charged for them yet. */
  cost: number;
  lead: MatchedLead | null;
}

/**
 * The next signals that an agent may look at, its workspace's own and shared ones, in the order of their detection.
 * @param of `since`: null: all
 */
export async function nextSignals(
  tx: Tx,
  of: { workspaceId: string; types: readonly SignalType[]; since: number | null },
  page: { after: SignalPlace | null; limit: number },
): Promise<{ ids: string[]; last: SignalPlace | null }> {
  // Each type by itself, so that its index gives the order and nothing is sorted for a page.
  const part = (tenant: string): string => `(
    select s.id, s.detected_at
    from unnest($2::text[]) t (type)
    cross join lateral (
      select x.id, x.detected_at
      from signal x
      where ${tenant} and x.type = t.type and (x.detected_at, x.id) > ($3, $4::uuid)
      order by x.detected_at, x.id limit $5
    ) s
  )`;
  const [at, id] = page.after ?? [of.since ?? 0, FIRST_ID];
  const rows = await tx.rows<{ id: string; at: number }>(
    `select u.id, u.detected_at as at
     from (${part('x.workspace_id = $1')} union all ${part('x.workspace_id is null')}) u
     order by u.detected_at, u.id limit $5`,
    [of.workspaceId, [...new Set(of.types)], at, id, page.limit],
  );
  const last = rows.at(-1);
  return { ids: rows.map((row) => row.id), last: last ? [last.at, last.id] : null };
}

/**
 * Of these signals and the people whom they are about those that the agent has not decided about, or that met a limit; in the order of
 * detection. A signal of a company is about the leads of it that the workspace has.
 */
export async function undecided(
  tx: Tx,
  agent: { id: string; workspaceId: string; campaignId: string | null; asked: string | null },
  signalIds: readonly string[],
): Promise<SeenSignal[]> {
  if (signalIds.length === 0) return [];
  return tx.rows<SeenSignal>(
    `select
       s.id as "signalId",
       coalesce(l.id, s.lead_id, s.company_id) as "subjectId",
       l.id as "leadId",
       s.lead_id is null as "ofCompany",
       s.type,
       s.expires_at as "expiresAt",
       left(s.title || ' ' || coalesce(e.said, ''), ${MOST_SAID}) as said,
       s.self_caused as "selfCaused",
       case
         when v.match is not null
           then jsonb_build_object('match', v.match, 'reason', v.reason, 'evidence', v.evidence)
       end as judged,
       coalesce(l.profile_url, '') as "profileUrl",
       l.email,
       case
         when l.id is not null
             and (
               exists (select 1 from signal x where x.lead_id = l.id and x.found_by = $1)
               or exists (
                 select 1
                 from signal_watch w
                 where w.workspace_id = $2 and w.lead_id = l.id and w.found_by = $1
               )
             )
             and not exists (
               select 1
               from signal_decision d
               where d.lead_id = l.id and d.agent_id = $1 and d.credits > 0
             )
           then 1
         else 0
       end as cost,
       case
         when l.id is not null
           then jsonb_build_object(
             'title', l.title, 'headline', l.headline, 'seniority', l.seniority, 'company', l.company,
             'companySize', l.company_size, 'industry', l.industry, 'location', l.location || ' ' || l.country
           )
       end as lead
     from unnest($4::uuid[]) with ordinality k (id, place)
     join signal s on s.id = k.id
     left join signal_verdict v on v.agent_id = $1 and v.signal_id = s.id and v.asked = $5
     left join lateral (
       select string_agg(x ->> 'excerpt', ' ') as said from jsonb_array_elements(s.evidence) x
     ) e on true
     left join lateral (
       select x.*
       from lead x
       where x.id = s.lead_id and x.erased_at is null and (x.workspace_id is null or x.workspace_id = $2)
       union all
       (
         select x.*
         from lead x
         where s.lead_id is null
           and x.company_id = s.company_id
           and x.erased_at is null
           and (
             x.workspace_id = $2
             or x.workspace_id is null
               and exists (select 1 from campaign_lead c where c.campaign_id = $3 and c.lead_id = x.id)
           )
         order by x.id limit ${MOST_OF_COMPANY}
       )
     ) l on true
     where not exists (
       select 1
       from signal_decision d
       where d.agent_id = $1
         and d.signal_id = s.id
         and d.subject_id = coalesce(l.id, s.lead_id, s.company_id)
         and d.outcome not in ('lead_limit', 'credit_limit')
       -- By its key for each one: what the agent decided in all is never looked through.
       offset 0
     )
     order by k.place, l.id`,
    [agent.id, agent.workspaceId, agent.campaignId, arrayText(signalIds), agent.asked],
  );
}

/** The people of the workspace itself. */
export async function readOwnPeople(tx: Tx, workspaceId: string): Promise<OwnPeople> {
  return new OwnPeople(await tx.rows<OwnIdentity>('select kind, value from app.own_identities($1)', [workspaceId]));
}
