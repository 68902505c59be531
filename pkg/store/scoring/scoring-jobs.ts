import type { Tx } from '../../postgres/database.ts';
import { countCandidates } from './scoring-pass.ts';

/** Real seconds until another worker may go on with a job that its holder left. */
const LEASE_SECONDS = 60;
/** Failed chunks after which a job is given up. */
const MAX_FAILURES = 5;

/** A pass over the candidates of one ICP. */
export interface ScoringJob {
  id: string;
  workspaceId: string;
  icpId: string;
  status: 'queued' | 'running' | 'completed' | 'failed';
  /** Candidates when it began. */
  total: number;
  done: number;
  /** Only leads whose score rests on signals. */
  onlyFading: boolean;
}

const COLUMNS = `id, workspace_id as "workspaceId", icp_id as "icpId", status, total, done, only_fading as "onlyFading"`;

/**
 * Starts a pass over an ICP's candidates, or joins the live one.
 * @param pass `now`: epoch ms UTC, product time at which decay is judged
 * @throws Error when the ICP is not visible
 */
export async function queueScoring(
  tx: Tx,
  pass: { id: string; icpId: string; now: number },
): Promise<ScoringJob & { joined: boolean }> {
  const live = () =>
    tx.row<ScoringJob>(`select ${COLUMNS} from scoring_job where icp_id = $1 and status in ('queued', 'running')`, [
      pass.icpId,
    ]);
  const running = await live();
  if (running?.onlyFading) return { ...(await becomeFull(tx, running.id, pass)), joined: false };
  if (running) return { ...running, joined: true };
  const total = await countCandidates(tx, pass.icpId);
  const made = await tx.row<ScoringJob>(
    `insert into scoring_job (id, workspace_id, campaign_id, icp_id, total, pass_at, created_at)
     select $1, workspace_id, campaign_id, id, $3, $4, $4 from icp where id = $2
     on conflict (icp_id) where status in ('queued', 'running') do nothing returning ${COLUMNS}`,
    [pass.id, pass.icpId, total, pass.now],
  );
  if (made) {
    // From here on whatever changes leads or criteria marks the scores stale again, the pass's own end does not clear it.
    await tx.exec('update icp set scores_stale = false where id = $1', [pass.icpId]);
    return { ...made, joined: false };
  }
  const other = await live();
  if (!other) throw new Error('no scoring job could be made');
  return { ...other, joined: true };
}

/** A pass over fading scores under way begins again as a full one. Waits for the chunk under way. */
async function becomeFull(tx: Tx, jobId: string, pass: { icpId: string; now: number }): Promise<ScoringJob> {
  const job = await tx.row<ScoringJob>(
    `update scoring_job
     set only_fading = false, after_lead = null, done = 0, total = $2, pass_at = $3
     where id = $1
     returning ${COLUMNS}`,
    [jobId, await countCandidates(tx, pass.icpId), pass.now],
  );
  if (!job) throw new Error('the scoring job is gone');
  await tx.exec('update icp set scores_stale = false where id = $1', [pass.icpId]);
  return job;
}

/** ICPs that get their daily pass in one go. */
const MOST_FADING = 100;
const DAY_MS = 86_400_000;

/**
 * Queues the daily pass of ICPs whose leads' scores rest on signals: what fades falls without an event. Platform only.
 * @param now epoch ms, product time
 * @returns how many were queued
 */
export async function queueFading(tx: Tx, newId: () => string, now: number): Promise<number> {
  const due = await tx.rows<{ id: string }>(
    `select i.id
     from icp i
     join campaign c on c.id = i.campaign_id
     where i.deleted_at is null
       and c.deleted_at is null
       and i.scored_at is not null
       and coalesce(i.faded_at, i.scored_at) <= $1
       and exists (select 1 from lead_score s where s.icp_id = i.id and s.signal_score > 0)
     order by i.id limit ${MOST_FADING}`,
    [now - DAY_MS],
  );
  if (due.length === 0) return 0;
  return tx.exec(
    `insert into scoring_job (id, workspace_id, campaign_id, icp_id, pass_at, created_at, only_fading)
     select u.id, i.workspace_id, i.campaign_id, i.id, $3, $3, true
     from unnest($1::uuid[], $2::uuid[]) u (id, icp)
     join icp i on i.id = u.icp
     on conflict (icp_id)
       where status in ('queued', 'running') do nothing`,
    [due.map(() => newId()), due.map((icp) => icp.id), now],
  );
}

/**
 * Leads of a workspace, or who is a candidate, have changed; call it near the end of the transaction that changes them, after
 * the lists. It writes also where scores are stale already: the one who starts a pass, and so takes them for fresh, waits for the
 * commit and scores what was changed.
 */
export async function markScoresStale(tx: Tx, workspaceId: string): Promise<void> {
  await tx.exec(
    `update icp set scores_stale = true where id = any (array(
       select id from icp where workspace_id = $1 and deleted_at is null order by id for no key update))`,
    [workspaceId],
  );
}

/** What the scores depend on has changed: a live pass begins again. Waits for the chunk under way. */
export async function restartScoring(tx: Tx, icpId: string, now: number): Promise<void> {
  const restarted = await tx.exec(
    `update scoring_job
     set after_lead = null, done = 0, pass_at = $2, only_fading = false
     where icp_id = $1 and status in ('queued', 'running')`,
    [icpId, now],
  );
  // The pass that begins again will have seen the change.
  if (restarted > 0) await tx.exec('update icp set scores_stale = false where id = $1', [icpId]);
}

/** A pass for every ICP of a campaign, live ones begun again. @returns how many ICPs there are */
export async function rescoreCampaign(tx: Tx, campaignId: string, newId: () => string, now: number): Promise<number> {
  const icps = await tx.rows<{ id: string }>(
    'select id from icp where campaign_id = $1 and deleted_at is null order by id',
    [campaignId],
  );
  for (const { id } of icps) {
    const { joined } = await queueScoring(tx, { id: newId(), icpId: id, now });
    if (joined) await restartScoring(tx, id, now);
  }
  return icps.length;
}

/** An ICP that is deleted needs no scores. */
export async function cancelScoring(tx: Tx, icpId: string, now: number): Promise<void> {
  await tx.exec(
    `update scoring_job set status = 'failed', error = 'the ICP was deleted', finished_at = $2
     where icp_id = $1 and status in ('queued', 'running')`,
    [icpId, now],
  );
}

/**
 * Takes the lease of an open job that nobody works on.
 * @param jobId this job only; absent: the oldest
 */
export function dequeueJob(tx: Tx, holder: string, jobId?: string): Promise<ScoringJob | undefined> {
  return tx.row<ScoringJob>(
    `update scoring_job
     set
       status = 'running',
       holder = $1,
       lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where id = (
       select id
       from scoring_job
       where status in ('queued', 'running')
         and ($2::uuid is null or id = $2)
         and (lease_until is null or lease_until < clock_timestamp())
       order by created_at, id for update skip locked limit 1
     )
     returning ${COLUMNS}`,
    [holder, jobId ?? null],
  );
}

/** How a job stands, as tools say it: a queued one is under way too. */
export async function statusOfScoring(tx: Tx, jobId: string): Promise<'running' | 'completed' | 'failed'> {
  const row = await tx.row<Pick<ScoringJob, 'status'>>('select status from scoring_job where id = $1', [jobId]);
  return row === undefined || row.status === 'queued' ? 'running' : row.status;
}

/** Locks the job for a chunk and renews its lease; undefined when another worker holds it, or it is over. */
export function holdJob(
  tx: Tx,
  holder: string,
  jobId: string,
): Promise<(ScoringJob & { afterLead: string | null; passAt: number }) | undefined> {
  return tx.row(
    `update scoring_job set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where id = $1 and holder = $2 and status = 'running'
     returning ${COLUMNS}, after_lead as "afterLead", pass_at as "passAt"`,
    [jobId, holder],
  );
}

/** Moves the job on after a chunk. */
export async function advanceJob(
  tx: Tx,
  jobId: string,
  chunk: { scored: number; afterLead: string | null; finishedAt: number | null },
): Promise<void> {
  await tx.exec(
    `update scoring_job
     set
       done = done + $2,
       total = greatest(total, done + $2),
       after_lead = coalesce($3, after_lead),
       failures = 0,
       status = case when $4::bigint is null then status else 'completed' end,
       finished_at = $4,
       lease_until = case when $4::bigint is null then lease_until end
     where id = $1`,
    [jobId, chunk.scored, chunk.afterLead, chunk.finishedAt],
  );
}

/** Gives the lease back, so that another worker goes on at once. */
export async function leaveJob(tx: Tx, holder: string, jobId: string): Promise<void> {
  await tx.exec(
    `update scoring_job set holder = null, lease_until = null where id = $1 and holder = $2 and status = 'running'`,
    [jobId, holder],
  );
}

/** A chunk failed: the job rests for a lease, and is given up after some failures in a row. */
export async function failJob(tx: Tx, holder: string, jobId: string, error: string, now: number): Promise<void> {
  await tx.exec(
    `update scoring_job
     set
       failures = failures + 1,
       error = $3,
       status = case when failures + 1 >= ${MAX_FAILURES} then 'failed' else status end,
       finished_at = case when failures + 1 >= ${MAX_FAILURES} then $4::bigint end
     where id = $1 and holder = $2 and status = 'running'`,
    [jobId, holder, error.slice(0, 500), now],
  );
}

/** ICPs of a campaign behind one by id, or the one that is asked for; 100 at most. */
export async function icpsToScore(
  tx: Tx,
  ask: { campaignId: string | null; icpId: string | null; after: string | null },
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `select id
     from icp
     where campaign_id = $1
       and deleted_at is null
       and ($2::uuid is null or id = $2)
       and ($3::uuid is null or id > $3)
     order by id limit 100`,
    [ask.campaignId, ask.icpId, ask.after],
  );
  return rows.map((row) => row.id);
}

/** How a pass stands; undefined: it went with its ICP. */
export function passOf(
  tx: Tx,
  jobId: string,
): Promise<{ status: ScoringJob['status']; done: number; error: string } | undefined> {
  return tx.row('select status, done, error from scoring_job where id = $1', [jobId]);
}
