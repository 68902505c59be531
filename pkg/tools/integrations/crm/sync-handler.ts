import type { Tx } from '../../../postgres/database.ts';
import { noteHealth } from '../../../store/integrations/crm-integrations.ts';
import { nextObjects } from '../../../store/integrations/integration-objects.ts';
import { nextSyncedList, readProviderList, releaseList } from '../../../store/integrations/provider-lists.ts';
import type { BackgroundJob, JobStep } from '../../../store/jobs/background-jobs.ts';
import type { JobContext, JobHandler } from '../../jobs/job-step.ts';
import { turnPage } from '../../jobs/turn-page.ts';
import { type OpenCrm, openCrm } from './crm-access.ts';
import { afterFailure, fieldsOf, PASS_REST_MS, takenForPass } from './crm-step.ts';
import { MOST_PAGES, type SyncWork, syncWork } from './crm-work.ts';
import { leadsChanged, leave } from './import-handler.ts';
import { storePeople } from './store-people.ts';
import { keepTold, tellPeople } from './tell-people.ts';

/** People of one step: as many as are asked for at once, and told of one by one. */
const AT_ONCE = 25;

type Write = (tx: Tx) => Promise<JobStep>;

/**
 * Compares a CRM with the workspace: its lists that are kept in sync are read again, then each person who is known there. What the CRM
 * says counts by the owner of each field; who wished no contact is told both ways, and never taken back.
 */
export const syncHandler: JobHandler = {
  kind: 'crm_sync',
  async step(context, job) {
    const work = syncWork.parse(job.work);
    const now = context.clocks.product.now();
    try {
      const open = await openCrm(context, job.workspaceId, work.integrationId);
      const step = { context, job, work, open, now };
      if (work.peopleAfter !== null) return await peopleStep(step, work.peopleAfter);
      return work.list === null ? await nextList(step) : await listStep(step, work.list);
    } catch (error) {
      return afterFailure(error, { work, now }, (_, problem) =>
        Promise.resolve({ kind: 'failed', work, error: problem }),
      );
    }
  },
  giveUp: () => Promise.resolve(),
};

interface Step {
  context: JobContext;
  job: BackgroundJob;
  work: SyncWork;
  open: OpenCrm;
  now: number;
}

/** Begins with the next list; after the last one come the people. */
async function nextList({ context, work }: Step): Promise<Write> {
  const id = await context.tx((tx) => nextSyncedList(tx, work.integrationId, work.listsAfter));
  if (id === null) return () => Promise.resolve({ kind: 'more', work: { ...work, peopleAfter: '' } });
  const list = { id, passId: context.ids.uuid(), cursor: null, met: 0, pages: 0, blanks: 0 };
  return () => Promise.resolve({ kind: 'more', work: { ...work, list } });
}

async function listStep(step: Step, at: NonNullable<SyncWork['list']>): Promise<Write> {
  const { context, job, work, open, now } = step;
  const over = { ...work, waits: 0, list: null, listsAfter: at.id };
  const list = await context.tx((tx) => readProviderList(tx, at.id));
  if (list && !(await takenForPass(context, list.id, job.id)))
    return () => Promise.resolve({ kind: 'rest', work, notBefore: now + PASS_REST_MS });
  const { signal = new AbortController().signal } = context;
  // A list that is gone, here or there, is passed over: its leads stay.
  if (!list || (at.cursor === null && !(await open.crm.lists.find(open.access, list.externalId, signal))))
    return async (tx) => {
      await releaseList(tx, at.id, job.id);
      return { kind: 'more', work: over };
    };
  const fields = fieldsOf(open, list.mapping);
  const properties = fields.map(({ property }) => property);
  const page = await open.crm.lists.page(open.access, list.externalId, { cursor: at.cursor, properties, signal });
  return async (tx) => {
    const stored = await storePeople(tx, context, {
      workspaceId: job.workspaceId,
      integrationId: work.integrationId,
      provider: open.integration.provider,
      people: page.people,
      fields,
      onDuplicate: list.onDuplicate,
      list,
      passId: at.passId,
      before: at.met,
      now,
    });
    const turn = turnPage(at, { cursor: page.cursor, items: page.people.length }, MOST_PAGES);
    // Of a list that did not end nobody knows who has left it.
    const left = turn.kind === 'end' ? await leave(tx, list, at.passId) : 0;
    const done = {
      ...work.done,
      created: work.done.created + stored.created,
      updated: work.done.updated + stored.updated,
      excluded: work.done.excluded + stored.excluded,
      left: work.done.left + left,
    };
    if (turn.kind !== 'more') {
      await releaseList(tx, list.id, job.id);
      return { kind: 'more', work: { ...over, done } };
    }
    const next = { ...at, ...turn.at, met: at.met + stored.total };
    return { kind: 'more', work: { ...work, waits: 0, list: next, done } };
  };
}

/** Asks for the next people who are known there, takes over what they say, and tells what is ours to tell. */
async function peopleStep({ context, job, work, open, now }: Step, after: string): Promise<Write> {
  const ids = await context.tx((tx) => nextObjects(tx, work.integrationId, after, AT_ONCE));
  if (ids.length === 0) {
    return async (tx) => {
      await noteHealth(tx, work.integrationId, null, now);
      await leadsChanged(tx, job.workspaceId, now);
      return { kind: 'over', work };
    };
  }
  const { signal = new AbortController().signal } = context;
  const fields = fieldsOf(open);
  const people = await open.crm.lists.read(open.access, ids, {
    properties: fields.map(({ property }) => property),
    signal,
  });
  const scope = { workspaceId: job.workspaceId, integrationId: work.integrationId };
  const told = await tellPeople(context, open, { ...scope, people, fields, now, signal });
  return async (tx) => {
    const stored = await storePeople(tx, context, {
      ...scope,
      provider: open.integration.provider,
      people: told.people,
      fields,
      onDuplicate: 'fill_empty',
      list: null,
      passId: job.id,
      before: 0,
      now,
    });
    await keepTold(tx, scope, told, now);
    const done = {
      ...work.done,
      updated: work.done.updated + stored.updated,
      excluded: work.done.excluded + stored.excluded,
      told: work.done.told + told.excluded.length,
      pushed: work.done.pushed + told.pushed,
    };
    const peopleAfter = told.reached ?? ids.at(-1) ?? after;
    const next = { ...work, waits: 0, peopleAfter, done };
    if (told.setback === null) return { kind: 'more', work: next };
    return { kind: 'rest', work: { ...next, waits: work.waits + 1 }, notBefore: told.setback };
  };
}
