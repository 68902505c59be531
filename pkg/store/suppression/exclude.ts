import type { Ids } from '../../base/ids.ts';
import type { ExclusionReach, SuppressionSource } from '../../domain/suppression.ts';
import type { Tx } from '../../postgres/database.ts';

/** People whom a look at an exclusion counts at most, newest first; leads under way are all looked at. */
const MOST_LOOKED_AT = 100_000;
/** Exclusions of a workspace at most, and keywords among them, which are compared one by one. */
export const MOST_EXCLUSIONS = 500_000;
export const MOST_KEYWORDS = 5_000;
const EXAMPLES = 5;
/** Messages told at most. */
const MOST_SENT = 20;

/** Exclusions to be added, or looked at first. Values in the form of exclusion-value.ts; times epoch ms UTC, product time. */
export interface NewExclusions {
  workspaceId: string;
  entries: readonly { kind: string; value: string; reason: string }[];
  source: SuppressionSource;
  appliesTo: ExclusionReach;
  /** Only for this signal agent; null: for all. */
  signalAgentId: string | null;
  expiresAt: number | null;
  /** Who adds them, for people. */
  by: string;
  now: number;
  /** Says what it would do, and does nothing. */
  dryRun: boolean;
}

/** What became of an entry. */
export interface ExclusionOutcome {
  /** `covered`: a wider one was there; it is kept beside that one. */
  outcome: 'added' | 'already' | 'covered';
  /** Of the exclusion that holds now; null where none was made (a dry run). */
  id: string | null;
  /** The wider one. */
  coveredBy: string | null;
}

/** What is or was on its way to somebody whose run was ended. */
export interface SentBefore {
  leadId: string;
  runId: string;
  action: string;
  /** Epoch ms UTC, product time. */
  at: number;
}

/** What exclusions do to whom. */
export interface ExclusionEffect {
  outcomes: ExclusionOutcome[];
  /** People of the workspace whom they meet. */
  leadsMatched: number;
  examples: { leadId: string; fullName: string; title: string; company: string }[];
  /** Runs that ended, or would. */
  runsStopped: number;
  /** What was given to the provider before, newest first. */
  sentBefore: SentBefore[];
}

/**
 * Excludes people, companies, domains or keywords and ends what is under way for whom they meet, in one transaction: what is not
 * dispatched by then never leaves. Repeating it is harmless. A dry run answers the same and writes nothing.
 */
export async function exclude(tx: Tx, ids: Ids, asked: NewExclusions): Promise<ExclusionEffect> {
  const outcomes = await addExclusions(tx, ids, asked);
  const met = await leadsMet(tx, asked);
  const stops = asked.appliesTo === 'all_outreach' && asked.signalAgentId === null;
  const runs = !stops || met.length === 0 ? [] : await stopRuns(tx, asked, met);
  if (!asked.dryRun && met.length > 0) await settleQueued(tx, asked, met);
  return {
    outcomes,
    leadsMatched: met.length,
    examples: await examplesOf(tx, met),
    runsStopped: runs.length,
    sentBefore: await sentBefore(tx, asked.workspaceId, runs),
  };
}

async function addExclusions(tx: Tx, ids: Ids, asked: NewExclusions): Promise<ExclusionOutcome[]> {
  const rows = await tx.rows<{ outcome: ExclusionOutcome['outcome']; id: string; by_id: string | null }>(
    'select outcome, id, by_id from app.add_exclusions($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) order by ord',
    [
      asked.now,
      asked.workspaceId,
      asked.entries.map(() => ids.uuid()),
      asked.entries.map(({ kind }) => kind),
      asked.entries.map(({ value }) => value),
      asked.entries.map(({ reason }) => reason),
      asked.source,
      asked.appliesTo,
      asked.signalAgentId,
      asked.expiresAt,
      asked.by,
      asked.dryRun,
    ],
  );
  return rows.map(({ outcome, id, by_id }) => ({
    outcome,
    id: asked.dryRun && outcome !== 'already' ? null : id,
    coveredBy: by_id,
  }));
}

/** Everybody under way, and the newest of the others: those of the workspace and those of the pool that it knows. */
async function leadsMet(tx: Tx, asked: NewExclusions): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `with known as (
       (select distinct r.lead_id as id
        from workflow w
        join run r on r.workflow_id = w.id and r.ended_at is null
        where w.workspace_id = $1)
       union
       (select l.id
        from lead l
        where l.workspace_id = $1 and l.erased_at is null
        order by l.id desc limit $4)
       union
       (select o.lead_id from lead_overlay o where o.workspace_id = $1 order by o.lead_id desc limit $4)
     )
     select m.id
     from app.leads_met($1, array(select id from known), $2, $3) as m (id)
     order by m.id desc`,
    [asked.workspaceId, asked.entries.map(({ kind }) => kind), asked.entries.map(({ value }) => value), MOST_LOOKED_AT],
  );
  return rows.map(({ id }) => id);
}

async function stopRuns(tx: Tx, asked: NewExclusions, leadIds: readonly string[]): Promise<string[]> {
  if (asked.dryRun) {
    const rows = await tx.rows<{ id: string }>(
      'select id from run where workspace_id = $1 and lead_id = any ($2::uuid[]) and ended_at is null',
      [asked.workspaceId, leadIds],
    );
    return rows.map(({ id }) => id);
  }
  const row = await tx.row<{ runs: string[] }>('select app.suppress_leads($1, $2, $3, $4) as runs', [
    asked.now,
    asked.workspaceId,
    leadIds,
    asked.by,
  ]);
  return row?.runs ?? [];
}

/** Whom signal agents found and no workflow has taken yet: an exclusion for signals comes too late for those whom one has. */
async function settleQueued(tx: Tx, asked: NewExclusions, leadIds: readonly string[]): Promise<void> {
  await tx.exec(
    `update signal_queue
     set settled_at = $2, outcome = 'excluded'
     where lead_id = any ($3::uuid[])
       and workspace_id = $1
       and settled_at is null
       and ($4::text is null or signal_agent_id = $4)`,
    [asked.workspaceId, asked.now, leadIds, asked.signalAgentId],
  );
}

async function examplesOf(tx: Tx, leadIds: readonly string[]): Promise<ExclusionEffect['examples']> {
  const shown = leadIds.slice(0, EXAMPLES);
  if (shown.length === 0) return [];
  return tx.rows(
    `select l.id as "leadId", l.full_name as "fullName", l.title, l.company
     from unnest($1::uuid[]) with ordinality as u (id, ord)
     join lead l on l.id = u.id
     order by u.ord`,
    [shown],
  );
}

/** What the provider had got of these runs when they ended. */
async function sentBefore(tx: Tx, workspaceId: string, runs: readonly string[]): Promise<SentBefore[]> {
  if (runs.length === 0) return [];
  return tx.rows(
    `select s.lead_id as "leadId", s.run_id as "runId", s.action, s.dispatched_at as at
     from send s
     where s.run_id = any ($1::uuid[]) and s.workspace_id = $2 and s.dispatched_at is not null
     order by s.dispatched_at desc, s.id limit $3`,
    [runs, workspaceId, MOST_SENT],
  );
}

/** How many exclusions a workspace has, and how many of them are keywords. */
export async function countExclusions(
  tx: Tx,
  workspaceId: string,
  now: number,
): Promise<{ all: number; keywords: number }> {
  const row = await tx.row<{ all: number; keywords: number }>(
    `select
       (select count(*)::int from suppression where workspace_id = $1 and (expires_at is null or expires_at > $2)) as all,
       (select count(*)::int from suppression where workspace_id = $1 and kind = 'keyword'
          and (expires_at is null or expires_at > $2)) as keywords`,
    [workspaceId, now],
  );
  return row ?? { all: 0, keywords: 0 };
}

/**
 * Lifts an exclusion that its workspace may lift: it ends now, and its row tells that it was there. Repeating it is harmless.
 * @param now epoch ms UTC, product time
 * @returns its source, and whether it may be lifted and held until now; undefined when it is not there
 */
export function liftExclusion(
  tx: Tx,
  id: string,
  now: number,
): Promise<{ source: string; removable: boolean; lifted: boolean } | undefined> {
  return tx.row(
    `with found as (
       select id, source, removable and app.is_removable(source) as removable
       from suppression
       where id = $1 and workspace_id is not null
       for update
     ),
     lifted as (
       update suppression s
       set expires_at = $2
       from found f
       where s.id = f.id and f.removable and (s.expires_at is null or s.expires_at > $2)
       returning s.id
     )
     select source, removable, exists (select 1 from lifted) as lifted
     from found`,
    [id, now],
  );
}
