import { CADENCE_MS } from '../../domain/watches/watch-state.ts';
import type { Tx } from '../../postgres/database.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { stopRunsOf } from '../../store/schedules/scheduled-runs.ts';
import { deleteSchedule, insertSchedule, nextOf, switchSchedule } from '../../store/schedules/schedules.ts';
import { releaseHoldsOf } from '../../store/watches/watch-holds.ts';
import {
  deleteWatch,
  insertWatch,
  lockWatchesOf,
  type Watch,
  type WatchSettings,
} from '../../store/watches/watches.ts';
import { wrongState } from '../errors.ts';

/** Watches that a workspace has at most, of all kinds together. */
const MOST = 200;

type Times = { nextFor: number | null; nextAt: number | null };

/** Makes a watch; it comes at once for its baseline. @returns when, epoch ms product time @throws UserError: there are too many */
export async function makeWatch(
  tx: Tx,
  watch: WatchSettings & { id: string; workspaceId: string; name: string; now: number },
): Promise<number> {
  const { id, workspaceId, name, cadence, kind, now } = watch;
  if ((await lockWatchesOf(tx, workspaceId)) >= MOST)
    throw wrongState(
      `A workspace has ${MOST} watches at most`,
      kind === 'competitor' ? 'svc_delete_competitor_watch' : 'svc_delete_search_watch',
    );
  const timing = { kind: 'cadence', everyMs: CADENCE_MS[cadence], from: now } as const;
  const next = nextOf(timing, id, now - 1);
  await insertSchedule(tx, {
    id,
    workspaceId,
    kind: kind === 'competitor' ? 'competitor_watch' : 'search_watch',
    campaignId: null,
    name,
    settings: {},
    timing,
    enabled: true,
    ...next,
    createdAt: now,
  });
  await insertWatch(tx, watch);
  await wake(tx, workspaceId, next);
  return next.nextFor ?? now;
}

/** Its next check from now on, in the rhythm that it has. */
export async function resumeWatch(tx: Tx, watch: Watch, now: number): Promise<void> {
  const timing = { kind: 'cadence', everyMs: watch.everyMs, from: watch.everyFrom } as const;
  const next = nextOf(timing, watch.id, now);
  await switchSchedule(tx, watch.id, next);
  await wake(tx, watch.workspaceId, next);
}

/** Ends a watch for good: a check under way is undone and costs nothing. */
export async function endWatch(tx: Tx, watch: Watch, now: number): Promise<void> {
  await releaseHoldsOf(tx, watch, now);
  await stopRunsOf(tx, watch.id, now, 'stopped: the watch was deleted');
  await deleteSchedule(tx, watch.id, now);
  await deleteWatch(tx, watch.id);
}

async function wake(tx: Tx, workspaceId: string, { nextAt }: Times): Promise<void> {
  if (nextAt !== null) await wakeWorkspace(tx, workspaceId, nextAt, 'a watch is due');
}
