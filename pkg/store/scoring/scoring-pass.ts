import { type IcpCriteria, icpScore, type ScoredLead } from '../../domain/icp-score.ts';
import { explainSignals, type ScoredSignal, type SignalRules, signalRulesOf } from '../../domain/signal-score.ts';
import type { Tx } from '../../postgres/database.ts';
import { OLDEST_SIGNAL_MS } from '../signals/lead-signals.ts';

/** What the scores of one ICP depend on besides the leads. */
export interface ScoringRules extends IcpCriteria {
  icpId: string;
  workspaceId: string;
  campaignId: string;
  signals: SignalRules;
}

/** Criteria of an ICP and the signal rules of its campaign; undefined when it is gone. */
export async function readScoringRules(tx: Tx, icpId: string): Promise<ScoringRules | undefined> {
  const row = await tx.row<Omit<ScoringRules, 'signals'> & { settings: Parameters<typeof signalRulesOf>[0] }>(
    `select
       i.id as "icpId", i.workspace_id as "workspaceId", i.campaign_id as "campaignId", i.titles, i.industries,
       i.seniorities, i.company_sizes as "companySizes", i.keywords, c.settings
     from icp i
     join campaign c on c.id = i.campaign_id
     where i.id = $1 and i.deleted_at is null`,
    [icpId],
  );
  if (!row) return undefined;
  const { settings, ...rules } = row;
  return { ...rules, signals: signalRulesOf(settings) };
}

/**
 * Candidates of a campaign ($2) of workspace $1: leads attached to the campaign (imported for it, or members of its
 * lists), and private leads of the workspace that are attached to no campaign. A window is the next leads after $3 by id,
 * $4 at most, that may be candidates; each of its branches reads no more than a window, in the order of an index.
 */
const WINDOW = `select id
                from (
                  (
                    select c.lead_id as id
                    from campaign_lead c
                    where c.campaign_id = $2 and c.lead_id > $3
                    order by c.lead_id limit $4
                  )
                  union (
                    select distinct m.lead_id
                    from lead_list t
                    join lead_list_member m on m.lead_list_id = t.id
                    where t.campaign_id = $2 and t.deleted_at is null and m.lead_id > $3
                    order by m.lead_id limit $4
                  )
                  union (
                    select l.id
                    from lead l
                    where l.workspace_id = $1
                      and l.workspace_id is not null
                      and l.erased_at is null
                      and l.id > $3
                    order by l.id limit $4
                  )
                ) u
                order by id limit $4`;
/** The same for leads whose score rests on signals: the only ones that time alone changes. $6: the ICP. */
const FADING_WINDOW = `select lead_id as id
                       from lead_score
                       where icp_id = $6 and signal_score > 0 and lead_id > $3
                       order by lead_id limit $4`;
const ATTACHED = 'left join campaign_lead c on c.campaign_id = $2 and c.lead_id = l.id';
/** Whether lead l of the window is a candidate; what is dearer to know comes later. */
const IS_CANDIDATE = `l.erased_at is null and case when c.lead_id is not null then true
  when exists (select 1 from lead_list_member m join lead_list t on t.id = m.lead_list_id
    where m.lead_id = l.id and t.campaign_id = $2 and t.deleted_at is null) then true
  when l.workspace_id is distinct from $1 then false
  else not exists (select 1 from campaign_lead o where o.workspace_id = $1 and o.lead_id = l.id)
    and not exists (select 1 from lead_list_member m join lead_list t on t.id = m.lead_list_id
      where m.lead_id = l.id and t.campaign_id is not null and t.deleted_at is null) end`;
const FIRST = '00000000-0000-0000-0000-000000000000';
/** Leads looked at for a count; a job tells its progress in it. */
const COUNTED = 10_000_000;

/** How many leads a pass will look at. */
export async function countCandidates(tx: Tx, icpId: string): Promise<number> {
  const rules = await readScoringRules(tx, icpId);
  if (!rules) return 0;
  const row = await tx.row<{ count: number }>(
    `select count(*)::int as count from (${WINDOW}) k join lead l on l.id = k.id ${ATTACHED} where ${IS_CANDIDATE}`,
    [rules.workspaceId, rules.campaignId, FIRST, COUNTED],
  );
  return row?.count ?? 0;
}

interface Candidate extends ScoredLead {
  id: string;
  candidate: boolean;
  signals: ScoredSignal[] | null;
}

/**
 * Scores the next candidates after `afterLead` and writes their scores, each with its explanation.
 * @param passAt epoch ms UTC, product time of the pass
 * @returns how many were scored, the last lead that was looked at, and whether there may be more
 */
export async function scoreChunk(
  tx: Tx,
  rules: ScoringRules,
  chunk: { afterLead: string | null; limit: number; passAt: number; onlyFading?: boolean },
): Promise<{ scored: number; last: string | null; more: boolean }> {
  const { onlyFading = false } = chunk;
  const found = await tx.named<Candidate>(
    onlyFading ? 'fading_chunk' : 'scoring_chunk',
    `select
       k.id,
       l.title,
       l.headline,
       l.seniority,
       l.company,
       l.company_size as "companySize",
       l.industry,
       ${IS_CANDIDATE} as candidate,
       (
         select jsonb_agg(
           jsonb_build_object(
             'type', s.type, 'title', s.title, 'occurredAt', s.occurred_at
           ) order by s.occurred_at desc,
           s.id
         )
         from (
           select x.*
           from signal x
           where x.lead_id = l.id and x.occurred_at > $5
           union all
           select x.*
           from signal x
           where x.company_id = l.company_id and x.lead_id is null and x.occurred_at > $5
         ) s
         where s.workspace_id is null or s.workspace_id = $1
       ) as signals
     from (${onlyFading ? FADING_WINDOW : WINDOW}) k
     join lead l on l.id = k.id ${ATTACHED}
     order by k.id`,
    [
      rules.workspaceId,
      rules.campaignId,
      chunk.afterLead ?? FIRST,
      chunk.limit,
      chunk.passAt - OLDEST_SIGNAL_MS,
      ...(onlyFading ? [rules.icpId] : []),
    ],
  );
  const leads = found.filter((lead) => lead.candidate);
  if (leads.length > 0) await writeScores(tx, rules, leads, chunk.passAt);
  return { scored: leads.length, last: found.at(-1)?.id ?? null, more: found.length >= chunk.limit };
}

async function writeScores(tx: Tx, rules: ScoringRules, leads: readonly Candidate[], passAt: number): Promise<void> {
  const scores = leads.map((lead) => {
    const icp = icpScore(lead, rules);
    const signals = explainSignals(lead.signals ?? [], passAt, rules.signals);
    return { icp: icp.score, signals: signals.score, reasons: JSON.stringify([...icp.reasons, ...signals.reasons]) };
  });
  await tx.named(
    'scoring_write',
    `insert into lead_score (
       workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, reasons, computed_at
     )
     select $1, $2, $3, u.id, u.icp, u.signals, u.icp + u.signals, u.reasons::jsonb, $8
     from unnest($4::uuid[], $5::real[], $6::real[], $7::text[]) u (id, icp, signals, reasons)
     on conflict (icp_id, lead_id) do update set
       icp_score = excluded.icp_score,
       signal_score = excluded.signal_score,
       total = excluded.total,
       reasons = excluded.reasons,
       computed_at = excluded.computed_at`,
    [
      rules.workspaceId,
      rules.campaignId,
      rules.icpId,
      leads.map((lead) => lead.id),
      scores.map((score) => score.icp),
      scores.map((score) => score.signals),
      scores.map((score) => score.reasons),
      passAt,
    ],
  );
}

/** Scores that one transaction takes away: about a second. */
const SCORES_AT_ONCE = 10_000;

/**
 * Ends a pass: a lead that is no candidate any more has no score here. A fading pass has not looked at all of them.
 * @returns whether it is over; if not, it is to be called again in another transaction: all may be no candidates any more
 */
export async function finishPass(tx: Tx, rules: ScoringRules, passAt: number, onlyFading = false): Promise<boolean> {
  if (!onlyFading) {
    if (!(await forgetScores(tx, rules.icpId, passAt))) return false;
    await tx.exec('update icp set scored_at = $2 where id = $1', [rules.icpId, passAt]);
  }
  await tx.exec('update icp set faded_at = $2 where id = $1', [rules.icpId, passAt]);
  return true;
}

/**
 * Takes a part of an ICP's scores away: of a pass before `passAt`, or all.
 * @returns whether none is left; if not, it is to be called again in another transaction
 */
export async function forgetScores(tx: Tx, icpId: string, passAt: number | null = null): Promise<boolean> {
  const gone = await tx.exec(
    `delete from lead_score where icp_id = $1 and ctid = any (array(select s.ctid from lead_score s
       where s.icp_id = $1 and ($2::bigint is null or s.computed_at < $2) limit $3 for update))`,
    [icpId, passAt, SCORES_AT_ONCE],
  );
  return gone < SCORES_AT_ONCE;
}

/**
 * A part of the scores that a deleted ICP has left: the one who deleted it went away. For the platform only.
 * @returns the ICP; null when no deleted ICP has scores
 */
export async function forgetLeftScores(tx: Tx): Promise<string | null> {
  const row = await tx.row<{ id: string }>(
    `select i.id from icp i where i.deleted_at is not null and i.purged_at is null
       and exists (select 1 from lead_score s where s.icp_id = i.id) order by i.deleted_at limit 1`,
  );
  if (row) await forgetScores(tx, row.id);
  return row?.id ?? null;
}
