import { settledEarly } from '../../domain/enrichment/results.ts';
import type { Tx } from '../../postgres/database.ts';
import { NO_ENRICHMENT } from '../../providers/enrichment/choose-enrichment.ts';
import { releaseHold, settleHold } from '../../store/credits/credits.ts';
import { settleEnrichment } from '../../store/enrichment/attempts.ts';
import type { BackgroundJob, JobStep } from '../../store/jobs/background-jobs.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import type { JobContext, JobHandler } from '../jobs/job-step.ts';
import { type AskedItem, askItem } from './ask-item.ts';
import { deskOf } from './desk-of.ts';
import { type EnrichWork, enrichWork } from './enrich-work.ts';

/** Leads that are asked for side by side. */
const AT_ONCE = 5;

/**
 * Asks for the leads of a job, some at a time. What providers said is kept as it comes; what was found is written, and counted for the
 * hold, in one transaction with where the job stands: a process that ends at any point charges once. Others who ask for the same field of
 * the same lead wait for its answer and pay nothing for it.
 */
export const enrichLeadsHandler: JobHandler = handler('lead_enrich');
export const enrichCompanyHandler: JobHandler = handler('company_enrich');

function handler(kind: string): JobHandler {
  return {
    kind,
    async step(context, job) {
      const work = enrichWork.parse(job.work);
      const now = context.clocks.product.now();
      const due = work.open.filter((item) => item.notBefore <= now).slice(0, AT_ONCE);
      if (work.open.length === 0) return (tx) => end(tx, job, work, now, null);
      if (due.length === 0) {
        const notBefore = Math.min(...work.open.map((item) => item.notBefore));
        return () => Promise.resolve({ kind: 'rest', work, notBefore });
      }
      const desk = await deskOf(context, job.workspaceId);
      if (desk.providers.length === 0) return (tx) => end(tx, job, work, now, NO_ENRICHMENT);
      const asked = await Promise.all(due.map((item) => askItem(context, desk, job, item)));
      return (tx) => write(tx, context, { work, asked });
    },
    giveUp: async (tx, job, now, error) => {
      await end(tx, job, enrichWork.parse(job.work), now, error);
    },
  };
}

async function write(
  tx: Tx,
  context: JobContext,
  { work, asked }: { work: EnrichWork; asked: readonly AskedItem[] },
): Promise<JobStep> {
  const now = context.clocks.product.now();
  const next = { ...work, open: work.open.filter((item) => !asked.some((one) => one.item.id === item.id)) };
  // In one order, so that two jobs do not wait for each other.
  for (const one of [...asked].sort((a, b) => (a.item.id < b.item.id ? -1 : 1))) {
    const waits = one.againMs !== null;
    const closed = await settleEnrichment(tx, one.work, waits ? settledEarly(one.results) : one.results, now);
    next.credits += closed.reduce((sum, field) => sum + field.credits, 0);
    // A lead that waits for one field has what was found of it by now, and its turn comes again.
    if (one.againMs !== null) {
      next.open.push({ ...one.item, notBefore: now + one.againMs });
      continue;
    }
    if (one.known || closed.some((field) => field.state === 'found')) next.found += 1;
    else if (one.failed) next.failed += 1;
    else next.notFound += 1;
  }
  return { kind: 'more', work: next };
}

/** Charges what was found. @param problem why it ended early */
async function end(
  tx: Tx,
  job: BackgroundJob,
  work: EnrichWork,
  now: number,
  problem: string | null,
): Promise<JobStep> {
  const done = { ...work, open: [], failed: work.failed + work.open.length };
  if (job.holdId !== null) {
    if (work.credits === 0) await releaseHold(tx, job.holdId, now, problem ?? 'nothing was found');
    else await settleHold(tx, job.holdId, work.credits, now);
  }
  await wakeIfWorking(tx, job.workspaceId, now, 'leads enriched');
  return problem === null ? { kind: 'over', work: done } : { kind: 'failed', work: done, error: problem };
}
