import type { AccountPlanState, PlannedSlot } from '../../domain/account-plan.ts';
import type { BudgetAction } from '../../domain/actions.ts';
import type { ConfiguredLimit, Ramp } from '../../domain/budget.ts';
import type { BudgetWindow } from '../../domain/budget-window.ts';
import type { BusinessHours } from '../../domain/business-hours.ts';
import { CompanyDays, type CompanyLimit } from '../../domain/company-days.ts';
import type { PaceSettings } from '../../domain/pacing.ts';
import type { LinkedShare } from '../../domain/planned-budgets.ts';
import type { AccountTier } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';

/** An account's calendar as the database tells it; its words for the classes are those of its columns: heavy is contact. */
interface StateRow {
  timezone: string;
  tier: AccountTier;
  limits: Partial<Record<BudgetAction, ConfiguredLimit>>;
  pacing: PaceSettings | null;
  hours: BusinessHours | null;
  health: number;
  ramp: Ramp | null;
  firstSendAt: number | null;
  minGapMs: number;
  freeAt: { heavy: number; light: number } | null;
  budgets: [BudgetAction, string, number[]][];
  links: LinkedShare[];
  /** [at, freeAt, heavy, acted, own run, link, budgets, earliest] */
  slots: [number, number, boolean, boolean, string | null, number, BudgetAction[], number][];
}

/** Runs whose company has a limit, and people of those companies. */
interface CompanyRow {
  timezone: string;
  /** [run, company, person, most people a day] */
  runs: [string, string, string, number][];
  /** [company, person, at] */
  contacts: [string, string, number][];
}

/** What planning knows of an account. */
export interface PlannedAccount {
  state: AccountPlanState;
  /** The account's own hours, null: the default ones. */
  hours: BusinessHours | null;
}

/**
 * Reads and locks the calendars of accounts that the claim's workspace is linked to; promises of `runIds` are taken back.
 * @param now epoch ms product time
 */
export async function readAccountPlans(
  tx: Tx,
  now: number,
  accountIds: readonly string[],
  runIds: readonly string[],
): Promise<Map<string, PlannedAccount>> {
  const rows = await tx.rows<{ accountId: string; state: StateRow }>(
    'select account_id as "accountId", state from app.plan_state($1, $2::text[], $3::uuid[])',
    [now, accountIds, runIds],
  );
  return new Map(
    rows.map(({ accountId, state }) => [accountId, { state: stateOf(accountId, state), hours: state.hours }]),
  );
}

function stateOf(accountId: string, row: StateRow): AccountPlanState {
  const used: Partial<Record<BudgetAction, BudgetWindow>> = {};
  for (const [action, headDate, units] of row.budgets) used[action] = { headDate, used: units };
  return {
    pace: { accountId, settings: row.pacing, minGapMs: row.minGapMs },
    timezone: row.timezone,
    tier: row.tier,
    limits: row.limits,
    ramp: row.ramp,
    firstSendAt: row.firstSendAt,
    health: row.health,
    used,
    links: row.links,
    freeAt: { contact: row.freeAt?.heavy ?? 0, passive: row.freeAt?.light ?? 0 },
    slots: row.slots.map(
      ([at, freeAt, heavy, acted, runId, link, budgets, earliest]): PlannedSlot => ({
        at,
        freeAt,
        actionClass: heavy ? 'contact' : 'passive',
        acted,
        runId,
        link,
        budgets,
        earliest,
      }),
    ),
  };
}

/** A promise to be kept. */
export interface Promised {
  accountId: string;
  slot: PlannedSlot;
}

/** Keeps promises of runs of the claim's workspace. */
export async function promiseSlots(tx: Tx, promised: readonly Promised[]): Promise<void> {
  if (promised.length === 0) return;
  const rows = promised.map(({ accountId, slot }) => ({
    account: accountId,
    heavy: slot.actionClass === 'contact',
    at: slot.at,
    freeAt: slot.freeAt,
    earliest: slot.earliest,
    run: slot.runId,
    budgets: slot.budgets,
  }));
  await tx.exec('select app.promise_slots($1)', [JSON.stringify(rows)]);
}

/** Makes runs ask for a moment anew that still wait for a promise. Returns how many. */
export async function askAgain(tx: Tx, now: number, runIds: readonly string[]): Promise<number> {
  if (runIds.length === 0) return 0;
  const row = await tx.row<{ moved: number }>('select app.ask_again($1, $2::uuid[]) as moved', [now, runIds]);
  return row?.moved ?? 0;
}

/** Accounts that promised a later moment to runs of the claim's workspace, in the order of their ids, at most `most` after `after`. */
export async function promisedAccounts(tx: Tx, now: number, after: string, most: number): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>('select id from app.promised_accounts($1, $2, $3) as id', [
    now,
    after,
    most,
  ]);
  return rows.map((row) => row.id);
}

/** What limits of companies say of runs. */
export interface CompanyPlan {
  limits: Map<string, CompanyLimit>;
  days: CompanyDays;
}

/** Limits of the companies of these runs of the claim's workspace, and who of them is contacted when; runs without are left out. */
export async function readCompanyPlan(tx: Tx, now: number, runIds: readonly string[]): Promise<CompanyPlan> {
  const row = await tx.row<{ known: CompanyRow }>('select app.company_contacts($1, $2::uuid[]) as known', [
    now,
    runIds,
  ]);
  const { timezone, runs, contacts } = row?.known ?? { timezone: 'UTC', runs: [], contacts: [] };
  return {
    limits: new Map(runs.map(([run, company, personId, most]) => [run, { company, personId, most }])),
    days: new CompanyDays(
      timezone,
      contacts.map(([company, personId, at]) => ({ company, personId, at })),
    ),
  };
}
