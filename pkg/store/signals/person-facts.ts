import type { Tx } from '../../postgres/database.ts';
import { ONCE_IN_MS } from './agent-limits.ts';
import { OLDEST_SIGNAL_MS, readLeadSignals } from './lead-signals.ts';

/** Signals of a person that count for a score at most. */
const MOST_SIGNALS = 20;

/** What a decision has to know of a person besides the signal. Times epoch ms, product time. */
export interface PersonFacts {
  personId: string | null;
  excluded: string | null;
  duplicate: string | null;
  restsUntil: number | null;
  icpScore: number;
  signals: [string, number][];
}

/**
 * Facts of leads for an agent: who they are (settled first), whether an exclusion meets them (those that enrolment asks for, and those for signals), whether
 * an agent found them or they are under way, when they were contacted last, and their scores.
 * @param of `campaignId`: of the agent, else of its workflow; `mayEnqueue`: some may be enqueued, absent: nobody will be, so that those whom
 *   nobody knows stay nobody, as which nothing can be known of them
 */
export async function readPersonFacts(
  tx: Tx,
  of: {
    agentId: string;
    workspaceId: string;
    campaignId: string | null;
    workflowId: string | null;
    mayEnqueue: boolean;
    now: number;
  },
  leadIds: readonly string[],
): Promise<Map<string, PersonFacts>> {
  const ids = [...new Set(leadIds)].sort();
  if (ids.length === 0) return new Map();
  const persons = await personsOf(tx, of, ids);
  const rows = await tx.rows<Omit<PersonFacts, 'signals'> & { leadId: string }>(
    `select
       k.id as "leadId",
       k.person_id as "personId",
       x.source as excluded,
       case
         when d.agent_id is not null then 'the agent found the person before'
         when g.person_id is not null then 'an agent of the workspace found the person in the last 90 days'
         when r.id is not null then 'the person is in the workflow already'
       end as duplicate,
       case
         when o.last_contacted_at > $6 - c.rest then o.last_contacted_at + c.rest
       end as "restsUntil",
       coalesce(
         (select max(n.icp_score) from lead_score n where n.workspace_id = $1 and n.lead_id = k.id and n.campaign_id = $3),
         0
       ) as "icpScore"
     from unnest($2::uuid[], $7::uuid[]) k (id, person_id)
     left join app.excluded_for_signals($1, $5::text, $3, $2::uuid[], $6) x on x.lead_id = k.id
     left join lateral (
       select y.agent_id
       from signal_decision y
       where y.agent_id = $5::uuid and y.person_id = k.person_id and y.outcome = 'enqueued'
     ) d on true
     left join signal_person g
       on g.workspace_id = $1 and g.person_id = k.person_id and g.found_at > $6 - ${ONCE_IN_MS}::bigint
     left join lateral (
       select y.id
       from run y
       where y.workflow_id = $4 and y.lead_id = k.id and y.ended_at is null
       limit 1
     ) r on true
     left join lead_overlay o on o.workspace_id = $1 and o.lead_id = k.id
     left join lateral (
       select app.policy_days(y.settings, 'recontactAfterDays')::bigint * 86400000 as rest
       from campaign y
       where y.id = $3
     ) c on true`,
    [
      of.workspaceId,
      persons.map((one) => one.leadId),
      of.campaignId,
      of.workflowId,
      of.agentId,
      of.now,
      persons.map((one) => one.personId),
    ],
  );
  const signals = await readLeadSignals(tx, of.workspaceId, ids, of.now);
  return new Map(
    rows.map(({ leadId, ...row }) => [leadId, { ...row, signals: countedOf(signals.get(leadId) ?? [], of.now) }]),
  );
}

async function personsOf(
  tx: Tx,
  of: { workspaceId: string; mayEnqueue: boolean; now: number },
  leadIds: readonly string[],
): Promise<{ leadId: string; personId: string | null }[]> {
  const rows = of.mayEnqueue
    ? []
    : await tx.rows<{ id: string }>('select lead_id as id from app.strangers_of($1, $2::uuid[])', [
        of.workspaceId,
        leadIds,
      ]);
  const strangers = new Set(rows.map((row) => row.id));
  const others = leadIds.filter((id) => !strangers.has(id));
  const settled =
    others.length === 0
      ? []
      : await tx.rows<{ leadId: string; personId: string }>(
          'select lead_id as "leadId", person_id as "personId" from app.resolve_persons($1, $2::uuid[], $3)',
          [of.workspaceId, others, of.now],
        );
  return [...settled, ...[...strangers].map((leadId) => ({ leadId, personId: null }))];
}

function countedOf(signals: readonly { type: string; occurredAt: number }[], now: number): [string, number][] {
  return signals
    .filter((one) => one.occurredAt > now - OLDEST_SIGNAL_MS)
    .slice(0, MOST_SIGNALS)
    .map((one) => [one.type, one.occurredAt]);
}
