import { creditsFor } from '../../domain/credits.ts';
import type { Tx } from '../../postgres/database.ts';
import type { NetworkRelation, Page } from '../../providers/network/network-provider.ts';
import { exportAccount, exportListLives } from '../../store/accounts/connection-exports.ts';
import { releaseHold, settleHold } from '../../store/credits/credits.ts';
import type { BackgroundJob, JobStep } from '../../store/jobs/background-jobs.ts';
import { type ImportCounts, keepImport, MOST_ERRORS } from '../../store/leads/import-records.ts';
import type { JobContext, JobHandler } from '../jobs/job-step.ts';
import { turnPage } from '../jobs/turn-page.ts';
import { finishExport, storeConnections } from './export-store.ts';
import { type ExportWork, exportWork } from './export-work.ts';

/** Connections per page of the provider. */
const PAGE = 100;
/** A network has at most 30,000 connections. */
const MOST_PAGES = 400;

/** One page of the account's connections becomes leads; the last one settles the credits. */
export const exportHandler: JobHandler = {
  kind: 'connections_export',
  async step(context, job) {
    const work = exportWork.parse(job.work);
    const page = await readPage(context, job, work);
    const now = context.clocks.product.now();
    if ('problem' in page) return (tx) => end(tx, job, work, now, page.problem);
    return async (tx) => {
      const { next, unpaid } = await storeConnections(tx, context, { job, work, page, now });
      const cut = unpaid > 0 || (next.created + next.updated >= next.paidFor && page.cursor !== null);
      if (cut)
        note(
          next,
          'the held credits are used up: call svc_export_network_connections again, with a new idempotencyKey, for the rest',
        );
      const turn = turnPage(work, { cursor: page.cursor, items: page.items.length }, MOST_PAGES);
      if (cut || turn.kind === 'end') return end(tx, job, next, now, null);
      if (turn.kind === 'lost') return end(tx, job, next, now, turn.why);
      await keepImport(tx, job.id, next, null);
      return { kind: 'more', work: { ...next, ...turn.at } };
    };
  },
  giveUp: async (tx, job, now, error) => {
    await end(tx, job, exportWork.parse(job.work), now, error);
  },
};

/** The next page, or why there is none. */
async function readPage(
  context: JobContext,
  job: BackgroundJob,
  work: ExportWork,
): Promise<Page<NetworkRelation> | { problem: string }> {
  const { accountId } = job;
  const { account, listed } = await context.tx(async (tx) => ({
    account: await exportAccount(tx, job.workspaceId, accountId ?? ''),
    listed: await exportListLives(tx, work.leadListId),
  }));
  if (!listed) return { problem: 'the lead list was deleted' };
  if (!account) return { problem: 'the account is not linked to the workspace any more' };
  if (account.status !== 'ok') return { problem: `the account is ${account.status}` };
  const provider = context.providers(account.provider);
  if (!provider) return { problem: 'the provider of the account is not configured here' };
  const options = { limit: PAGE, ...(work.cursor === null ? {} : { cursor: work.cursor }) };
  return provider.listRelations(account, { ...options, ...(context.signal ? { signal: context.signal } : {}) });
}

/** Charges what was exported and closes the import. @param problem why it ended early */
async function end(
  tx: Tx,
  job: BackgroundJob,
  work: ExportWork,
  now: number,
  problem: string | null,
): Promise<JobStep> {
  const credits = creditsFor('connections_export', work.created + work.updated);
  if (job.holdId !== null) {
    if (credits === 0) await releaseHold(tx, job.holdId, now, problem ?? 'nothing was new');
    else await settleHold(tx, job.holdId, credits, now);
  }
  // A copy: the transaction may be run again.
  const last = { ...work };
  if (problem !== null) note(last, problem);
  await keepImport(tx, job.id, last, { status: problem === null ? 'completed' : 'failed', at: now });
  await finishExport(tx, job.workspaceId, now);
  return problem === null ? { kind: 'over', work: last } : { kind: 'failed', work: last, error: problem };
}

function note(counts: ImportCounts, message: string): void {
  counts.errors = [...counts.errors.slice(0, MOST_ERRORS - 1), { row: counts.total, field: null, message }];
}
