import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** What is left to do when nothing is due. */
export interface IdlePlan {
  /** Epoch ms product time of the next due work; null: nothing at all. */
  nextDue: number | null;
  /** Runs that go on because what had stopped them is over. */
  unparked: number;
  /** Sends claimed or dispatched. */
  openSends: number;
  /** Sends whose outcome is not known. */
  unknownSends: number;
  /** Real ms until the next look-up of an unknown send; null: none. */
  nextLookupMs: number | null;
}

/** What an executor can do beyond runs; it is told of nothing else. Null: all. */
export interface Doable {
  /** Kinds of schedules. */
  kinds: readonly string[] | null;
  /** Actions without a run. */
  actions: readonly string[] | null;
}
const ALL: Doable = { kinds: null, actions: null };
const textOf = (words: readonly string[] | null): string | null => words && arrayText(words);

/** Lets parked runs go on and leaves the exact wake time for the operator, of all that is due (see app.plan_idle). */
export async function planIdle(tx: Tx, now: number, { kinds, actions } = ALL): Promise<IdlePlan> {
  const row = await tx.row<IdlePlan>(
    `select
       next_due as "nextDue", unparked, open_sends as "openSends", unknown_sends as "unknownSends",
       next_lookup_ms as "nextLookupMs"
     from app.plan_idle($1, $2::text[], $3::text[])`,
    [now, textOf(kinds), textOf(actions)],
  );
  return row ?? { nextDue: null, unparked: 0, openSends: 0, unknownSends: 0, nextLookupMs: null };
}

/** When work of the claim's workspace is due next (epoch ms product time), as this transaction leaves it; null: nothing at all. */
export async function nextDue(tx: Tx, { kinds, actions } = ALL): Promise<number | null> {
  const rows = await tx.named<{ nextDue: number | null }>(
    'next_due',
    'select app.own_work_due($1::text[], $2::text[]) as "nextDue"',
    [textOf(kinds), textOf(actions)],
  );
  return rows[0]?.nextDue ?? null;
}

/** What the accounts of the workspace may still do today, as their budget rows say it. */
export async function budgetsLeft(tx: Tx): Promise<{ accountId: string; action: string; left: number }[]> {
  return tx.rows(
    `select account_id as "accountId", action, greatest(0, limit_day - used[1]) as
     left
     from account_budget
     order by 1, 2 limit 2000`,
  );
}
