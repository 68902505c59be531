import type { JsonObject } from '../../base/json.ts';
import { type StaleRequest, staleRequests } from '../../store/accounts/stale-requests.ts';
import { actionsOfRun, planAction } from '../../store/actions/actions.ts';
import { countsOf } from './counts-of.ts';
import type { ScheduleContext, ScheduleHandler, ScheduleStep } from './schedule-handler.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Requests that one step looks at. */
const PER_STEP = 25;
/** For so long the withdrawals of a run wait for their accounts' hours, pace and budgets; the rest is left to the next run. */
const PATIENCE_MS = 3 * DAY_MS;
/** Actions under way that the result names. */
const NAMED = 20;

/**
 * Withdraws requests of the campaign that nobody has answered for some days, the oldest first: each is an action of the ledger. What can
 * not be withdrawn takes nobody's place. The run ends when all of them have.
 */
export const withdrawStaleRequests: ScheduleHandler = {
  kind: 'withdraw_stale_requests',
  run: (context, cursor) => (cursor.planned === true ? follow(context, cursor) : plan(context, cursor)),
};

/** What was planned so far. `skipped`: withdrawn before, or of somebody who is gone. */
const counted = (cursor: JsonObject): { found: number; skipped: number } => countsOf(cursor, ['found', 'skipped']);

async function plan(context: ScheduleContext, cursor: JsonObject): Promise<ScheduleStep> {
  const { tx, run, now } = context;
  const so = counted(cursor);
  const limit = Math.min(PER_STEP, Number(run.settings.maxRequests) - (so.found - so.skipped));
  const before = now - Number(run.settings.olderThanDays) * DAY_MS;
  const rows =
    run.campaignId === null || limit <= 0
      ? []
      : await staleRequests(tx, run.campaignId, { before, after: placeOf(cursor), limit });
  for (const row of rows) {
    so.found++;
    if (!(await withdraw(context, row))) so.skipped++;
  }
  const last = rows.at(-1);
  const next = { ...so, ...(last ? { at: last.requestedAt, person: last.personId } : {}) };
  if (limit > 0 && rows.length === limit)
    return { kind: 'more', cursor: next, result: { ...so, waiting: so.found - so.skipped } };
  return follow(context, { ...next, planned: true });
}

function placeOf({ at, person }: JsonObject): Pick<StaleRequest, 'requestedAt' | 'personId'> | null {
  return typeof at === 'number' && typeof person === 'string' ? { requestedAt: at, personId: person } : null;
}

/** @returns whether this run withdraws it */
async function withdraw({ tx, run, now, newId }: ScheduleContext, request: StaleRequest): Promise<boolean> {
  const planned = await planAction(
    tx,
    {
      id: newId(),
      workspaceId: run.workspaceId,
      campaignId: run.campaignId,
      leadId: request.leadId,
      accountId: request.accountId,
      action: 'withdraw_request',
      budgets: ['withdraw_request'],
      once: `withdraw:${request.accountId}:${request.requestedAt}`,
      body: null,
      target: {},
      dueAt: now,
      expiresAt: now + PATIENCE_MS,
      by: 'engine',
      scheduledRunId: run.id,
    },
    now,
  );
  return 'actionId' in planned && planned.made;
}

/** `found` is the sum of the others. */
async function follow({ tx, run, now }: ScheduleContext, cursor: JsonObject): Promise<ScheduleStep> {
  const so = counted(cursor);
  const actions = await actionsOfRun(tx, run.id, NAMED);
  const notPending = actions.outcomes.not_pending ?? 0;
  const result = {
    ...so,
    withdrawn: actions.done,
    notPending,
    failed: actions.failed - notPending,
    stopped: actions.stopped,
    waiting: actions.open,
  };
  if (actions.open === 0) return { kind: 'done', result };
  const look = Math.min(Math.max(actions.nextAt ?? 0, now + MINUTE_MS), now + HOUR_MS);
  return { kind: 'rest', cursor, result: { ...result, waitingActionIds: actions.openIds }, dueAt: look };
}
