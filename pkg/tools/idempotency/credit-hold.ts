import { UserError } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { type HoldResult, holdCredits } from '../../store/credits/credits.ts';
import type { ToolContext } from '../tool-context.ts';
import { keyReused } from './key-reused.ts';

/** Credits that a call needs before any work starts. */
export interface NeededCredits {
  workspaceId: string;
  /** Billable action of the catalog. */
  action: string;
  /** Credits at most. */
  estimate: number;
  campaignId?: string | undefined;
  /** Refused when the estimate is above it. */
  maxCredits?: number | undefined;
  /** What the credits are held for, where it is remembered by itself (a job, by its id); absent: the call. */
  job?: string;
}

/** @throws UserError when the estimate is above maxCredits */
export function requireWithinMax({ action, estimate, maxCredits }: NeededCredits): void {
  if (maxCredits === undefined || estimate <= maxCredits) return;
  throw new UserError(
    `${action} needs ${estimate} credits, more than maxCredits ${maxCredits}. Call svc_get_credit_costs.`,
    'AboveMaxCredits',
  );
}

/**
 * Puts credits on hold in the caller's transaction.
 * @throws UserError when they are short, above maxCredits, or the key was used with other input
 */
export async function holdFor(
  ctx: ToolContext,
  tx: Tx,
  needed: NeededCredits,
): Promise<{ id: string; replayed: boolean }> {
  requireWithinMax(needed);
  const { workspaceId, action, estimate, campaignId, job } = needed;
  const { tool, key, natural, keepSeconds, inputHash } = ctx.callKey;
  const result = await holdCredits(tx, {
    id: ctx.ids.uuid(),
    workspaceId,
    amount: estimate,
    action,
    tool,
    ...(campaignId === undefined ? {} : { campaignId }),
    keyPrefix: ctx.caller.keyPrefix,
    idempotencyKey: `${tool}:${job ?? key}`,
    inputHash,
    ...(natural && job === undefined ? { replaySeconds: keepSeconds } : {}),
    now: ctx.clocks.product.now(),
  });
  return granted(result, needed);
}

/** The hold to work under. @throws UserError when there is none */
function granted(result: HoldResult, { action, estimate }: NeededCredits): { id: string; replayed: boolean } {
  switch (result.kind) {
    case 'held':
      return { id: result.holdId, replayed: false };
    case 'seen':
      return { id: result.holdId, replayed: result.state === 'settled' };
    case 'mismatch':
      throw keyReused();
    case 'short':
      throw new UserError(
        `${action} needs ${estimate} credits, ${result.available} are available. Call svc_get_credit_balance.`,
        'InsufficientCredits',
      );
    case 'over_budget':
      throw new UserError(
        `${action} needs ${estimate} credits, the campaign's creditBudget has ${result.available} left. Call svc_update_campaign.`,
        'InsufficientCredits',
      );
  }
}
