import { recoverCalls } from '../../store/calls/node-calls.ts';
import { recoverSends } from '../../store/ledger/ledger.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { FIRST_LOOKUP_MS } from '../ledger/send-outcome.ts';

/** Takes over the sends and calls that older epochs of the workspace left open. */
export async function takeOver({ claim, clock, log, faults }: EngineDeps): Promise<void> {
  const found = await claim.tx(async (tx) => {
    const sends = await recoverSends(tx, clock.now(), FIRST_LOOKUP_MS);
    const taken = { ...sends, calls: await recoverCalls(tx, clock.now()) };
    if (taken.cancelled + taken.unknown + taken.calls > 0) await faults('recovering', '');
    return taken;
  });
  if (found.cancelled + found.unknown + found.calls === 0) return;
  log.warn(found, 'took over sends and calls of an older epoch');
  await faults('recovered', '');
}
