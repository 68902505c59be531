import { messageOf } from '../base/errors.ts';
import type { PeriodicJob } from '../base/periodic.ts';
import { fanOut } from '../store/deliveries/fan-out.ts';
import { workspacesToRead } from '../store/events/read-events.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between looks: an event is written for its endpoints about this long after it has its number. */
const EVERY_MS = 1_000;
const WITHIN_MS = 30_000;
/** Workspaces that one run reads; those that waited longest come first. */
const AT_ONCE = 200;
/** Workspaces that failed which an error names. */
const SHOWN = 3;

/** The leader writes deliveries for who follows events; MCP servers, who have the secrets and the way out, send them. */
export function eventDeliveriesJob({ db, clocks, runtime }: OperatorContext): PeriodicJob {
  const run = async (signal: AbortSignal): Promise<boolean> => {
    const found = await db.tx({ kind: 'platform' }, (tx) => workspacesToRead(tx, 'deliveries', AT_ONCE));
    const failed: string[] = [];
    let more = false;
    for (const workspaceId of found) {
      signal.throwIfAborted();
      const now = { product: clocks.product.now(), real: clocks.real.now() };
      try {
        const left = await db.tx({ kind: 'platform' }, (tx) =>
          fanOut(tx, { workspaceId, now, newId: () => runtime.ids.uuid() }),
        );
        more ||= left;
      } catch (error) {
        // The others are not to wait for what one of them is stuck at.
        failed.push(`${workspaceId}: ${messageOf(error)}`);
      }
    }
    if (failed.length > 0) throw new Error(`events are not delivered in ${failed.slice(0, SHOWN).join('; ')}`);
    return more || found.length === AT_ONCE;
  };
  return { name: 'event-deliveries', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
