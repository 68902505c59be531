import type { Tx } from '../../../postgres/database.ts';
import { noteHealth } from '../../../store/integrations/crm-integrations.ts';
import {
  forgetLeftMembers,
  type ProviderList,
  readProviderList,
  releaseList,
} from '../../../store/integrations/provider-lists.ts';
import type { BackgroundJob, JobStep } from '../../../store/jobs/background-jobs.ts';
import { keepImport, MOST_ERRORS } from '../../../store/leads/import-records.ts';
import { refreshLists } from '../../../store/lists/lead-lists.ts';
import { removeMembers } from '../../../store/lists/list-writes.ts';
import { wakeIfWorking } from '../../../store/runs/wake.ts';
import { markScoresStale } from '../../../store/scoring/scoring-jobs.ts';
import type { JobContext, JobHandler } from '../../jobs/job-step.ts';
import { turnPage } from '../../jobs/turn-page.ts';
import { type OpenCrm, openCrm } from './crm-access.ts';
import { afterFailure, fieldsOf, PASS_REST_MS, takenForPass } from './crm-step.ts';
import { type ImportWork, importWork, MOST_PAGES } from './crm-work.ts';
import { storePeople } from './store-people.ts';

/**
 * One page of a CRM's list becomes leads, in one transaction with where the next page begins: a crash goes on there. The last page
 * closes the import.
 */
export const importListHandler: JobHandler = {
  kind: 'provider_list_import',
  async step(context, job) {
    const work = importWork.parse(job.work);
    const now = context.clocks.product.now();
    const list = await context.tx((tx) => readProviderList(tx, work.listId));
    if (!list) return (tx) => end(tx, job, work, { now, problem: 'its lead list or campaign was deleted' });
    if (!(await takenForPass(context, list.id, job.id)))
      return () => Promise.resolve({ kind: 'rest', work, notBefore: now + PASS_REST_MS });
    try {
      const open = await openCrm(context, job.workspaceId, work.integrationId);
      const { signal = new AbortController().signal } = context;
      const fields = fieldsOf(open, list.mapping);
      const properties = fields.map(({ property }) => property);
      const page = await open.crm.lists.page(open.access, list.externalId, { cursor: work.cursor, properties, signal });
      return (tx) => storePage(tx, context, { job, work, list, open, page, now });
    } catch (error) {
      return afterFailure(error, { work, now }, (tx, problem) => end(tx, job, work, { now, problem }));
    }
  },
  giveUp: async (tx, job, now, error) => {
    await end(tx, job, importWork.parse(job.work), { now, problem: error });
  },
};

interface Page {
  job: BackgroundJob;
  work: ImportWork;
  list: ProviderList;
  open: OpenCrm;
  page: Awaited<ReturnType<OpenCrm['crm']['lists']['page']>>;
  now: number;
}

async function storePage(tx: Tx, context: JobContext, { job, work, list, open, page, now }: Page): Promise<JobStep> {
  const stored = await storePeople(tx, context, {
    workspaceId: job.workspaceId,
    integrationId: work.integrationId,
    provider: open.integration.provider,
    people: page.people,
    fields: fieldsOf(open, list.mapping),
    onDuplicate: list.onDuplicate,
    list,
    passId: job.id,
    before: work.total,
    now,
  });
  const turn = turnPage(work, { cursor: page.cursor, items: page.people.length }, MOST_PAGES);
  const next = {
    ...work,
    cursor: page.cursor,
    waits: 0,
    pages: work.pages + 1,
    ...(turn.kind === 'more' ? turn.at : {}),
    total: work.total + stored.total,
    created: work.created + stored.created,
    updated: work.updated + stored.updated,
    skipped: work.skipped + stored.skipped,
    failed: work.failed + stored.failed,
    suppressed: work.suppressed + stored.suppressed,
    excluded: work.excluded + stored.excluded,
    errors: [...work.errors, ...stored.errors].slice(0, MOST_ERRORS),
  };
  if (turn.kind === 'more') {
    await keepImport(tx, job.id, next, null);
    return { kind: 'more', work: next };
  }
  await noteHealth(tx, work.integrationId, null, now);
  if (turn.kind === 'lost') return end(tx, job, next, { now, problem: turn.why });
  await leave(tx, list, job.id);
  return end(tx, job, next, { now, problem: null });
}

/**
 * Who was not met by a pass that came to its end has left the list there. Their leads stay, and what runs for them goes on; they leave
 * our list where the import was told so.
 * @returns how many have left
 */
export async function leave(tx: Tx, list: ProviderList, passId: string): Promise<number> {
  const { count, leadIds } = await forgetLeftMembers(tx, list.id, passId);
  if (list.removeFromList && list.leadListId !== null && leadIds.length > 0)
    await removeMembers(tx, list.leadListId, leadIds);
  return count;
}

/** Closes the import. @param problem why it ended early */
async function end(
  tx: Tx,
  job: BackgroundJob,
  work: ImportWork,
  { now, problem }: { now: number; problem: string | null },
): Promise<JobStep> {
  const errors =
    problem === null
      ? work.errors
      : [...work.errors.slice(0, MOST_ERRORS - 1), { row: work.total, field: null, message: problem }];
  const last = { ...work, errors };
  await releaseList(tx, work.listId, job.id);
  await keepImport(tx, job.id, last, { status: problem === null ? 'completed' : 'failed', at: now });
  await leadsChanged(tx, job.workspaceId, now);
  return problem === null ? { kind: 'over', work: last } : { kind: 'failed', work: last, error: problem };
}

/** What follows from leads that came or changed, once at the end. */
export async function leadsChanged(tx: Tx, workspaceId: string, now: number): Promise<void> {
  await refreshLists(tx, workspaceId, now);
  await markScoresStale(tx, workspaceId);
  await wakeIfWorking(tx, workspaceId, now, 'leads of a CRM came');
}
