import type { Tx } from '../../postgres/database.ts';
import type { SendRow } from '../../store/ledger/ledger.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import { BatchNeeds } from './batch-needs.ts';
import { BASICS, DETAILS, NEEDS } from './fact-needs.ts';
import { FactReads } from './fact-reads.ts';
import type { GraphCache } from './graph-cache.ts';
import { FACTS_MISSING, loadDetails, loadFacts, loadFlows } from './load-batch.ts';
import type { Snapshot, Walk } from './step.ts';
import { walkRun } from './walk.ts';

export interface WalkBatchOptions extends Pick<Snapshot, 'workspaceId' | 'begunAt' | 'now'> {
  cache: GraphCache;
  newId: () => string;
}

/**
 * Walks every run, in the order of the runs, with no more facts of its person than it needs: one that asks for more is walked
 * again when these are loaded. What the runs will probably need is read at once.
 * @param readSends begins to read what became of the runs' sends
 */
export async function walkBatch(
  tx: Tx,
  options: WalkBatchOptions,
  runs: readonly RunRow[],
  readSends: () => Promise<readonly SendRow[]>,
): Promise<{ walks: Walk[]; snap: Snapshot }> {
  const needs = new BatchNeeds(options.cache, runs);
  const reads = new FactReads(tx, options.workspaceId);
  const flows = loadFlows(tx, options, runs, readSends());
  reads.act(needs.atLeast(BASICS));
  reads.detail(needs.atLeast(DETAILS));
  let snap = await flows;
  const walks: Walk[] = [];
  for (const need of NEEDS) {
    if (!needs.some(need)) continue;
    if (need >= BASICS && !snap.hasFacts) snap = await loadFacts(tx, snap, needs.atLeast(BASICS), reads);
    if (need === DETAILS) snap = await loadDetails(tx, snap, needs.atLeast(DETAILS), reads);
    for (let index = 0; index < runs.length; index++) {
      const run = runs[index];
      if (!run || needs.of(index) !== need) continue;
      const walk = tryWalk(run, snap, options.newId);
      if (walk) walks[index] = walk;
      else needs.raise(index);
    }
  }
  needs.learn();
  return { walks, snap };
}

/** Null: it asked for facts that are not loaded. */
function tryWalk(run: RunRow, snap: Snapshot, newId: () => string): Walk | null {
  try {
    return walkRun(run, snap, newId);
  } catch (error) {
    if (error !== FACTS_MISSING) throw error;
    return null;
  }
}
