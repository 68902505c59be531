import { NEVER, withDeadline } from '../../base/clock.ts';
import type { FieldResult, Verdicts } from '../../domain/enrichment/attempt.ts';
import { resultsOf } from '../../domain/enrichment/results.ts';
import { CallError } from '../../providers/call-error.ts';
import { askAboutCompany, askAboutPerson, type EnrichmentDesk } from '../../providers/enrichment/ask-about.ts';
import { attemptLedger, type EnrichmentWork } from '../../store/enrichment/attempts.ts';
import { companyToAsk, contactToAsk } from '../../store/enrichment/subjects.ts';
import type { BackgroundJob } from '../../store/jobs/background-jobs.ts';
import type { JobContext } from '../jobs/job-step.ts';
import type { EnrichItem } from './enrich-work.ts';

/** Real ms for one item of a step, which ends within its lease; what was answered until then is kept. */
const WITHIN_MS = 60_000;
/** Product ms until an item is looked at again that came to no end in its time. */
const AGAIN_MS = 30_000;

/** What came of asking about one lead or company. */
export interface AskedItem {
  item: EnrichItem;
  work: EnrichmentWork;
  results: FieldResult[];
  /** Its turn comes again after so many ms; null: it is over. */
  againMs: number | null;
  /** Something was found earlier today, which costs nothing more. */
  known: boolean;
  failed: boolean;
}

/** Asks the providers about one item, through the ledger of attempts. Nothing is written into the lead yet. */
export async function askItem(
  context: JobContext,
  desk: EnrichmentDesk,
  job: BackgroundJob,
  item: EnrichItem,
): Promise<AskedItem> {
  const holder = `job:${job.id}`;
  const work = { workspaceId: job.workspaceId, campaignId: null, subjectId: item.id, holder };
  const nothing = { item, work, results: [], againMs: null, known: false, failed: false };
  const ledger = attemptLedger(
    work,
    (run) => context.tx(run),
    () => context.clocks.product.now(),
  );
  const isCompany = item.fields.length === 0;
  const contact = isCompany ? null : await context.tx((tx) => contactToAsk(tx, job.workspaceId, item.id));
  const company = isCompany ? await context.tx((tx) => companyToAsk(tx, job.workspaceId, item.id)) : null;
  // The lead was erased, or the company went.
  if (contact === null && company === null) return nothing;
  try {
    const verdicts = await withDeadline(WITHIN_MS, context.signal ?? NEVER, (signal) => {
      const options = { signal, last: false };
      if (contact) return askAboutPerson(desk, ledger, contact, item.fields, options);
      return askAboutCompany(desk, ledger, company ?? { name: '', domain: '' }, options);
    });
    return { ...nothing, ...outcomeOf(verdicts), results: resultsOf(verdicts, contact, desk.own) };
  } catch (error) {
    if (context.signal?.aborted) throw error;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (!isLate && !(error instanceof CallError)) throw error;
    return { ...nothing, againMs: AGAIN_MS };
  }
}

function outcomeOf(verdicts: Verdicts): Pick<AskedItem, 'againMs' | 'known' | 'failed'> {
  const all = [...verdicts.values()];
  const waits = all.flatMap((one) => (one.kind === 'again' ? [one.afterMs] : []));
  return {
    againMs: waits.length > 0 ? Math.min(...waits) : null,
    known: all.some((one) => one.kind === 'known' && one.found),
    failed: all.some((one) => one.kind === 'failed'),
  };
}
