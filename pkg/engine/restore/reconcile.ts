import { messageOf } from '../../base/errors.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import type { NetworkProviders } from '../../providers/network/network-providers.ts';
import { adoptTrace } from '../../store/restore-adopt.ts';
import { lackingTraces, type Trace } from '../../store/restore-guard.ts';
import {
  type BehindOutcome,
  confirmedSince,
  type GuardedAccount,
  guardedAccounts,
  lift,
  type Missing,
  markCompared,
  settleBehind,
} from '../../store/restore-lift.ts';
import { readTraces } from './provider-traces.ts';

const DAY_MS = 86_400_000;
/** Longest reading of one account, real ms. */
const ACCOUNT_TIMEOUT_MS = 300_000;

/** A send that the provider shows and the ledger lacked, and what was done about it. */
export interface Found {
  trace: Trace;
  /** `workflow/node` that will not be sent again; empty for requests outside of workflows. */
  nodes: string[];
  /** Why it was left alone; null: it was adopted. */
  leftAlone: string | null;
}

/** One account in the table of differences. */
export interface AccountDifferences {
  accountId: string;
  name: string;
  /** From when the account was compared (epoch ms, product time). */
  since: number;
  found: Found[];
  /** Confirmed sends of the ledger that the provider does not show. */
  missing: Missing[];
  /** Why the account could not be compared; it stays stopped until it was. */
  failed: string | null;
}

export interface ReconcileReport {
  /** Why sends were frozen; empty when they were not. */
  reasons: string[];
  accounts: AccountDifferences[];
  resources: BehindOutcome[];
  /** False for a dry run: nothing was changed. */
  applied: boolean;
}

export interface ReconcileOptions {
  /** A connection of the schema's owner or of the platform. */
  db: Database;
  providers: NetworkProviders;
  /** Product time, epoch ms. */
  now: () => number;
  newId: () => string;
  /** Shows the differences and changes nothing. */
  dryRun: boolean;
}

/**
 * Compares what each account did with what its provider shows, adopts what the ledger lacks, so that nobody is written to
 * again, and lifts the freeze. What could not be compared stays stopped: its account acts only after a comparison.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const { db, dryRun } = options;
  const before = await db.tx({ kind: 'platform' }, guardedAccounts);
  const accounts: AccountDifferences[] = [];
  for (const account of before.accounts) accounts.push(await compare(options, account));
  return db.tx({ kind: 'platform' }, async (tx) => {
    const resources = await settleBehind(tx, { dryRun, now: options.now() });
    if (!dryRun) await lift(tx, options.now());
    return { reasons: before.reasons, accounts, resources, applied: !dryRun };
  });
}

async function compare(options: ReconcileOptions, account: GuardedAccount): Promise<AccountDifferences> {
  const { id: accountId, name, since } = account;
  const differences: AccountDifferences = { accountId, name, since, found: [], missing: [], failed: null };
  const provider = options.providers(account.provider);
  if (!provider) return { ...differences, failed: `no adapter for provider ${account.provider} is configured here` };
  let traces: Trace[];
  try {
    const signal = AbortSignal.timeout(ACCOUNT_TIMEOUT_MS);
    traces = await readTraces(provider, { externalId: account.externalId }, since - DAY_MS, signal);
  } catch (error) {
    return { ...differences, failed: messageOf(error) };
  }
  return options.db.tx({ kind: 'platform' }, async (tx) => {
    const found = await adoptAll(tx, options, accountId, traces);
    const missing = await missingAt(tx, accountId, since - DAY_MS, traces);
    if (!options.dryRun) await markCompared(tx, accountId);
    return { ...differences, found, missing };
  });
}

/** Oldest first, so that messages of one person meet the nodes of a graph in their order. */
async function adoptAll(tx: Tx, options: ReconcileOptions, accountId: string, traces: Trace[]): Promise<Found[]> {
  const lacking = await lackingTraces(tx, accountId, traces);
  const found: Found[] = [];
  for (const one of lacking.toSorted((a, b) => (a.trace.at ?? 0) - (b.trace.at ?? 0))) {
    if (options.dryRun) {
      found.push({ trace: one.trace, nodes: [], leftAlone: null });
      continue;
    }
    const result = await adoptTrace(tx, one, { accountId, now: options.now(), newId: options.newId });
    found.push({
      trace: one.trace,
      nodes: result.adopted ? result.nodes : [],
      leftAlone: result.adopted ? null : result.why,
    });
  }
  return found;
}

async function missingAt(tx: Tx, accountId: string, since: number, traces: readonly Trace[]): Promise<Missing[]> {
  const shown = new Set(traces.map((trace) => trace.ref));
  const sends = await confirmedSince(tx, accountId, since);
  return sends.filter((send) => send.ref === null || !shown.has(send.ref));
}
