import type { Tx } from '../postgres/database.ts';
import { releaseHold, settleHold } from '../store/credits/credits.ts';
import { holdFor, type NeededCredits } from './idempotency/credit-hold.ts';
import type { ToolContext } from './tool-context.ts';

/** What a call may cost. */
export interface Charge {
  workspaceId: string;
  /** Billable action of the catalog. */
  action: string;
  /** Credits at most; held before any work starts. */
  estimate: number;
  campaignId?: string;
  /** Refused before any work when the estimate is above it. */
  maxCredits?: number | undefined;
}

/**
 * Work that costs credits: hold, work, then settlement, result and idempotency record in one transaction. A failure
 * gives the hold back; a crash leaves it to expire. The same key (or, without one, the same call within a minute)
 * answers the first result and charges nothing again.
 * @param work outside of any transaction; says how many credits were delivered
 * @throws UserError when the estimate is above maxCredits, credits are short, or the key was used with other input
 */
export async function charged<W, R extends object>(
  ctx: ToolContext,
  charge: Charge,
  work: () => Promise<{ made: W; credits: number }>,
  finish: (tx: Tx, made: W, creditsSpent: number) => Promise<R>,
): Promise<R> {
  // A refusal is thrown inside of the transaction: it writes nothing.
  const hold = await ctx.unrecorded((tx) => holdFor(ctx, tx, charge));
  let settled = false;
  const now = () => ctx.clocks.product.now();
  try {
    const done = hold.replayed ? undefined : await work();
    return await ctx.create(charge.workspaceId, async (tx) => {
      if (!done) throw new Error('the result of a settled charge is gone');
      await settle(ctx, tx, hold.id, { ...charge, credits: done.credits });
      const result = await finish(tx, done.made, done.credits);
      settled = true;
      return result;
    });
  } finally {
    // A failure, or a result that another call had stored meanwhile; a settled hold stays as it is.
    if (!settled && !hold.replayed)
      await ctx.unrecorded((tx) => releaseHold(tx, hold.id, now(), 'nothing was delivered'));
  }
}

/**
 * Charges what was delivered. Calls with one key share a hold: one that failed gave it back under the others that still work, and work
 * that took long outlived it. Then it is held anew.
 * @throws UserError when the credits are gone meanwhile
 */
async function settle(
  ctx: ToolContext,
  tx: Tx,
  holdId: string,
  { credits, ...needed }: NeededCredits & { credits: number },
): Promise<void> {
  const now = ctx.clocks.product.now();
  const outcome = await settleHold(tx, holdId, credits, now);
  if (outcome === 'settled' || outcome === 'seen') return;
  const again = await holdFor(ctx, tx, needed);
  const settled = again.replayed ? 'seen' : await settleHold(tx, again.id, credits, now);
  if (settled !== 'settled')
    throw new Error(`the hold of ${ctx.callKey.tool} is ${outcome}, and ${settled} when it is taken anew`);
}
