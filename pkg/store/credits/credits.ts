import type { Tx } from '../../postgres/database.ts';

/** One movement of a balance by the platform. Source: catalog record CreditTransaction. */
export interface CreditMovement {
  workspaceId: string;
  kind: 'grant' | 'adjust';
  /** Signed credits. */
  amount: number;
  reason: string;
  tool: string;
  keyPrefix: string | null;
  /** Unique per workspace: the same key moves credits once. */
  idempotencyKey: string;
  /** Epoch ms UTC, product time. */
  now: number;
}

export type CreditResult =
  | { kind: 'moved' | 'seen'; entryId: string; balance: number; amount: number }
  | { kind: 'short'; available: number };

/**
 * Moves credits through the ledger under the balance's row lock; available = balance - held never falls below 0.
 * The caller's transaction decides: a later failure undoes it. Platform transactions only.
 */
export async function moveCredits(tx: Tx, movement: CreditMovement): Promise<CreditResult> {
  const { workspaceId, kind, amount, idempotencyKey, now, tool, keyPrefix, reason } = movement;
  const [moved] = await tx.rows<{
    outcome: 'moved' | 'seen' | 'short';
    entry_id: string;
    amount: number;
    balance: number;
    held: number;
  }>('select * from app.move_credits($1, $2, $3, $4, $5, $6, $7, $8)', [
    workspaceId,
    kind,
    amount,
    idempotencyKey,
    now,
    tool,
    keyPrefix,
    reason,
  ]);
  if (!moved) throw new Error('the ledger did not answer');
  if (moved.outcome === 'short') return { kind: 'short', available: moved.balance - moved.held };
  return { kind: moved.outcome, entryId: moved.entry_id, balance: moved.balance, amount: moved.amount };
}

/** How long a hold lives without being extended, real seconds. Source: catalog stateMachines.creditHold. */
export const HOLD_TTL_SECONDS = 1_800;
/** Seven days (design, section 6). */
const REPLAY_SECONDS = 604_800;

/** What is to be held, and for what. */
export interface CreditHold {
  /** Id of the hold, when it is made. */
  id: string;
  workspaceId: string;
  /** Credits at most; settled for what was delivered. */
  amount: number;
  /** Billable action of the catalog, for example `ai_craft`. */
  action: string;
  tool?: string;
  runId?: string;
  campaignId?: string;
  keyPrefix?: string;
  /** Unique per workspace while the hold lives or is settled. */
  idempotencyKey: string;
  /** Hash of what the charge is for: the same key with another hash is refused. */
  inputHash: string;
  /** How long a settled key is remembered, real seconds; default seven days. */
  replaySeconds?: number;
  /** Epoch ms UTC, product time. */
  now: number;
}

export type HoldResult =
  /** `available`: credits left besides this hold. */
  | { kind: 'held'; holdId: string; amount: number; available: number }
  /** The key was seen with the same input: its hold still lives, or it was settled with `settled` credits. */
  | { kind: 'seen'; holdId: string; amount: number; state: 'held' | 'settled'; settled: number }
  /** The key was seen with other input. */
  | { kind: 'mismatch' }
  | { kind: 'short'; available: number }
  /** The campaign's creditBudget has only `available` left. */
  | { kind: 'over_budget'; available: number };

/** Puts credits on hold before work that costs; nothing is charged yet. Also for executors, in their own workspace. */
export async function holdCredits(tx: Tx, hold: CreditHold): Promise<HoldResult> {
  const [row] = await tx.rows<{
    outcome: HoldResult['kind'];
    hold_id: string;
    state: 'held' | 'settled';
    amount: number;
    settled: number;
    available: number;
  }>('select * from app.hold_credits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
    hold.id,
    hold.workspaceId,
    hold.amount,
    hold.action,
    hold.tool ?? null,
    hold.runId ?? null,
    hold.campaignId ?? null,
    hold.keyPrefix ?? null,
    hold.idempotencyKey,
    hold.inputHash,
    hold.now,
    HOLD_TTL_SECONDS,
    hold.replaySeconds ?? REPLAY_SECONDS,
  ]);
  if (!row) throw new Error('the ledger did not answer');
  const { outcome, hold_id: holdId, state, amount, settled, available } = row;
  switch (outcome) {
    case 'held':
      return { kind: 'held', holdId, amount, available };
    case 'seen':
      return { kind: 'seen', holdId, amount, state, settled };
    case 'mismatch':
      return { kind: 'mismatch' };
    default:
      return { kind: outcome, available };
  }
}

/**
 * Charges what was delivered; the rest of the hold goes back. Settling again with the same amount changes nothing.
 * @returns how it stands: an `expired` or `released` hold charges nothing, its work must not be delivered
 * @throws Error when it is above the hold, or was settled with another amount (faults of the caller)
 */
export async function settleHold(
  tx: Tx,
  holdId: string,
  credits: number,
  now: number,
): Promise<'settled' | 'seen' | 'released' | 'expired'> {
  const row = await tx.row<{ outcome: 'settled' | 'seen' | 'released' | 'expired' }>(
    'select outcome from app.settle_hold($1, $2, $3)',
    [holdId, credits, now],
  );
  if (!row) throw new Error('the ledger did not answer');
  return row.outcome;
}

/**
 * Charges what is delivered in the same transaction.
 * @param what the credits are for, as the error says it
 * @throws Error when the hold was settled or ended before: then nothing is delivered
 */
export async function mustSettle(tx: Tx, holdId: string, credits: number, now: number, what: string): Promise<void> {
  const settled = await settleHold(tx, holdId, credits, now);
  if (settled !== 'settled') throw new Error(`the credits of ${what} are ${settled}`);
}

/** Gives a hold back; one that is settled, released or expired stays as it is. */
export async function releaseHold(tx: Tx, holdId: string, now: number, reason: string): Promise<void> {
  await tx.exec('select app.release_hold($1, $2, $3)', [holdId, now, reason]);
}

/** Keeps the hold of a live job for another half hour of real time. @returns false when it lives no more */
export async function extendHold(tx: Tx, holdId: string): Promise<boolean> {
  const row = await tx.row<{ alive: boolean }>('select app.extend_hold($1, $2) as alive', [holdId, HOLD_TTL_SECONDS]);
  return row?.alive ?? false;
}

/** Holds that one call ends at most: a statement for all of a hundred thousand would not come to its end. */
export const EXPIRE_PART = 1_000;

/** Ends holds whose time is over (real time), `EXPIRE_PART` at most. @param workspaceId null: of all workspaces (platform only) */
export async function expireHolds(tx: Tx, workspaceId: string | null, now: number): Promise<number> {
  const row = await tx.row<{ ended: number }>('select app.expire_holds($1, $2, $3) as ended', [
    workspaceId,
    now,
    EXPIRE_PART,
  ]);
  return row?.ended ?? 0;
}

/** Grants the month's credits of the workspaces' limits, once each month (UTC, product time). Platform only. */
export async function grantMonthlyCredits(tx: Tx, now: number): Promise<number> {
  const row = await tx.row<{ credits: number }>('select app.grant_monthly_credits(null, $1) as credits', [now]);
  return row?.credits ?? 0;
}
