import type { Tx } from '../../postgres/database.ts';
import type { SendRow } from '../../store/ledger/ledger.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import { advanceRun } from './advance.ts';
import { BatchNeeds } from './batch-needs.ts';
import { BASICS, DETAILS, NEEDS } from './fact-needs.ts';
import { FactReads } from './fact-reads.ts';
import type { GraphCache } from './graph-cache.ts';
import { FACTS_MISSING, loadDetails, loadFacts, loadFlows } from './load-batch.ts';
import type { Advance, Snapshot } from './step.ts';

export interface AdvanceBatchOptions extends Pick<Snapshot, 'workspaceId' | 'begunAt' | 'now'> {
  cache: GraphCache;
  newId: () => string;
}

/**
 * Walks every run, in the order of the runs, with no more facts of its person than it needs: one that asks for more is walked
 * again when these are loaded. What the runs will probably need is read at once.
 * @param readSends begins to read what became of the runs' sends
 */
export async function advanceBatch(
  tx: Tx,
  options: AdvanceBatchOptions,
  runs: readonly RunRow[],
  readSends: () => Promise<readonly SendRow[]>,
): Promise<{ advances: Advance[]; snap: Snapshot }> {
  const needs = new BatchNeeds(options.cache, runs);
  const reads = new FactReads(tx, options.workspaceId);
  const flows = loadFlows(tx, options, runs, readSends());
  reads.act(needs.atLeast(BASICS));
  reads.detail(needs.atLeast(DETAILS));
  let snap = await flows;
  const advances: Advance[] = [];
  for (const need of NEEDS) {
    if (!needs.some(need)) continue;
    if (need >= BASICS && !snap.hasFacts) snap = await loadFacts(tx, snap, needs.atLeast(BASICS), reads);
    if (need === DETAILS) snap = await loadDetails(tx, snap, needs.atLeast(DETAILS), reads);
    for (let index = 0; index < runs.length; index++) {
      const run = runs[index];
      if (!run || needs.of(index) !== need) continue;
      const walk = tryAdvance(run, snap, options.newId);
      if (walk) advances[index] = walk;
      else needs.raise(index);
    }
  }
  needs.learn();
  return { advances, snap };
}

/** Null: it asked for facts that are not loaded. */
function tryAdvance(run: RunRow, snap: Snapshot, newId: () => string): Advance | null {
  try {
    return advanceRun(run, snap, newId);
  } catch (error) {
    if (error !== FACTS_MISSING) throw error;
    return null;
  }
}
