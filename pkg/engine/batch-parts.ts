import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tx } from '../postgres/database.ts';
import { lockAccounts } from '../store/ledger.ts';
import type { RunRow } from '../store/runs.ts';
import { claimWishes } from './calls/claim-wishes.ts';
import type { GrantedCall } from './calls/granted-call.ts';
import { claimEffects, type GrantedEffect } from './claim-effects.ts';
import { handOverAll } from './hand-off-step.ts';
import { FACTS_MISSING, loadFacts } from './load-batch.ts';
import type { Snapshot, StepCount, Walk } from './step.ts';
import { walkRun } from './walk.ts';
import { writeBack } from './write-back.ts';

/** Runs of a part: the fixed costs of its statements are small beside theirs. */
const PART = 250;
/** Calls claimed in one batch; the others come in the next, a moment later. */
const MAX_CALLS = 100;

interface PartOptions {
  /** Texts of the writer in use cost nothing. */
  writerIsFree: boolean;
  newId: () => string;
}

/** Runs that were walked, with what was known of them. */
interface Walked {
  walks: Walk[];
  snap: Snapshot;
}

/** What became of some runs of a batch. */
export interface PartResult {
  granted: GrantedEffect[];
  calls: GrantedCall[];
  steps: StepCount[];
  /** When all is written. */
  written: Promise<unknown>;
}

/**
 * Walks claimed runs, claims what they ask for and writes them back, part by part: while the database works on one part this
 * process walks the next. The last statements are sent when it resolves.
 * @param flows without facts of anybody
 */
export async function workInParts(
  tx: Tx,
  flows: Snapshot,
  runs: readonly RunRow[],
  options: PartOptions,
): Promise<PartResult[]> {
  const results: PartResult[] = [];
  const parts = walkedParts(tx, flows, runs, options.newId);
  let ahead = begin(parts);
  try {
    while (ahead) {
      const { walks, snap } = await ahead;
      ahead = begin(parts);
      const callsLeft = results.reduce((left, { calls }) => left - calls.length, MAX_CALLS);
      results.push(await finish(tx, walks, snap, { ...options, callsLeft }));
      // What it sent leaves before the next part is walked.
      if (ahead) await nextTurn();
    }
  } catch (error) {
    throw await reasonOf(error, ahead);
  }
  return results;
}

/** The next part; it is under way then. */
function begin(parts: Generator<Promise<Walked>>): Promise<Walked> | undefined {
  const next = parts.next();
  if (next.done) return undefined;
  next.value.catch(() => undefined);
  return next.value;
}

/** Nothing is sent behind the end of a transaction; and who failed first is the reason, not who found it failed (25P02). */
async function reasonOf(error: unknown, ahead: Promise<unknown> | undefined): Promise<unknown> {
  const [other] = await Promise.allSettled([ahead]);
  const follows = error instanceof Error && 'code' in error && error.code === '25P02';
  return follows && other.status === 'rejected' ? other.reason : error;
}

/** Runs that ask for facts of their person are walked again when these are loaded. */
function* walkedParts(
  tx: Tx,
  flows: Snapshot,
  runs: readonly RunRow[],
  newId: () => string,
): Generator<Promise<Walked>, void> {
  const asking: RunRow[] = [];
  for (const part of partsOf(runs)) {
    const { walks, missing } = walkBare(part, flows, newId);
    asking.push(...missing);
    if (walks.length > 0) yield Promise.resolve({ walks, snap: flows });
  }
  const parts = partsOf(asking);
  // Each part locks the accounts that it claims from: in one order over all parts, as those do that share them.
  const locked = parts.length > 1 ? lockAccounts(tx, accountsOf(asking)) : undefined;
  for (const part of parts)
    yield Promise.all([walkWithFacts(tx, flows, part, newId), locked]).then(([walked]) => walked);
}

function accountsOf(runs: readonly RunRow[]): string[] {
  return [...new Set(runs.flatMap((run) => run.accountId ?? []))];
}

function partsOf(runs: readonly RunRow[]): RunRow[][] {
  const count = Math.max(1, Math.floor(runs.length / PART));
  const size = Math.ceil(runs.length / count);
  return Array.from({ length: runs.length === 0 ? 0 : count }, (_none, at) => runs.slice(at * size, (at + 1) * size));
}

function walkBare(runs: readonly RunRow[], flows: Snapshot, newId: () => string): { walks: Walk[]; missing: RunRow[] } {
  const walks: Walk[] = [];
  const missing: RunRow[] = [];
  for (const run of runs) {
    try {
      walks.push(walkRun(run, flows, newId));
    } catch (error) {
      if (error !== FACTS_MISSING) throw error;
      missing.push(run);
    }
  }
  return { walks, missing };
}

async function walkWithFacts(tx: Tx, flows: Snapshot, runs: readonly RunRow[], newId: () => string): Promise<Walked> {
  const snap = await loadFacts(tx, flows, runs);
  return { walks: runs.map((run) => walkRun(run, snap, newId)), snap };
}

async function finish(
  tx: Tx,
  walks: readonly Walk[],
  snap: Snapshot,
  options: { writerIsFree: boolean; callsLeft: number },
): Promise<PartResult> {
  const granted = await claimEffects(tx, walks, snap);
  await handOverAll(tx, snap.now, walks);
  const calls = await claimWishes(tx, walks, snap, options);
  const { written } = await writeBack(tx, snap, walks);
  return { granted, calls, steps: walks.flatMap((walk) => walk.steps), written };
}
