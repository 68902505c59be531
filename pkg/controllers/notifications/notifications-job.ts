import type { PeriodicJob } from '../../base/periodic.ts';
import { workspacesToRead } from '../../store/events/read-events.ts';
import { forgetOldEvents } from '../../store/notifications/told-notices.ts';
import { workspacesToRoute } from '../../store/notifications/unrouted.ts';
import type { OperatorContext } from '../context.ts';
import { routeNotices } from './route-notices.ts';
import { tellMembers } from './tell-members.ts';

/** Real ms between looks, and for one round. */
const EVERY_MS = 1_000;
const WITHIN_MS = 60_000;
/** Workspaces that one round serves: each has its turn. */
const AT_ONCE = 100;
const UPKEEP_MS = 3_600_000;

/**
 * The leader tells members what happened, a second or two after it was committed, and decides by which channels it goes; each workspace
 * in a transaction of its own.
 */
export function notificationsJob(context: OperatorContext): PeriodicJob {
  const run = async (signal: AbortSignal): Promise<boolean> => {
    const { db } = context;
    const waiting = await db.tx({ kind: 'platform' }, (tx) => workspacesToRead(tx, 'notifications', AT_ONCE));
    for (const workspaceId of waiting) await serve(context, workspaceId, signal);
    const unrouted = await db.tx({ kind: 'platform' }, (tx) => workspacesToRoute(tx, AT_ONCE));
    for (const workspaceId of unrouted) await serve(context, workspaceId, signal);
    return waiting.length === AT_ONCE || unrouted.length === AT_ONCE;
  };
  return { name: 'notifications', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}

/** What one workspace cannot be told must not keep the others waiting. */
async function serve(
  { db, clocks, runtime }: OperatorContext,
  workspaceId: string,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const reading = { ids: runtime.ids, now: clocks.product.now(), realNow: clocks.real.now() };
  try {
    await db.tx({ kind: 'platform' }, async (tx) => {
      await tellMembers(tx, workspaceId, reading);
      await routeNotices(tx, workspaceId, reading.now);
    });
  } catch (err) {
    runtime.log.error({ err, workspaceId }, 'members were not told of events; the next round tells them');
  }
}

/** Forgets who was told of which event long ago. */
export function notificationUpkeepJob({ db, clocks }: OperatorContext): PeriodicJob {
  const run = async (): Promise<void> => {
    await db.tx({ kind: 'platform' }, (tx) => forgetOldEvents(tx, clocks.product.now()));
  };
  return { name: 'notification-upkeep', everyMs: UPKEEP_MS, withinMs: WITHIN_MS, run };
}
