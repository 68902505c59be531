import type { CompiledGraph, CompiledNode } from '../../domain/graph.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import { DETAILS, type Need, NOTHING } from './fact-needs.ts';
import type { GraphCache } from './graph-cache.ts';

/** What each run of a batch needs of its person: at first what is likely, and more where its walk asks for it. */
export class BatchNeeds {
  readonly #cache: GraphCache;
  readonly #runs: readonly RunRow[];
  /** Where each run stands; none or undefined: its graph is not at hand, or nobody has needed anything yet. */
  readonly #nodes: readonly (CompiledNode | undefined)[];
  readonly #likely: Need[];
  readonly #needs: Need[];

  constructor(cache: GraphCache, runs: readonly RunRow[]) {
    this.#cache = cache;
    this.#runs = runs;
    this.#nodes = cache.needs.anywhere ? nodesOf(cache, runs) : [];
    this.#likely = runs.map((run, index) => {
      const node = this.#nodes[index];
      return node ? cache.needs.likely(node, run.sendId !== null) : NOTHING;
    });
    this.#needs = [...this.#likely];
  }

  of(index: number): Need {
    return this.#needs[index] ?? NOTHING;
  }

  /** Whether a run needs just this much. */
  some(need: Need): boolean {
    return this.#needs.includes(need);
  }

  atLeast(need: Need): RunRow[] {
    return this.#runs.filter((_run, index) => this.of(index) >= need);
  }

  /** The run asked for more. */
  raise(index: number): void {
    const need = this.of(index);
    if (need === DETAILS) throw new Error('a walk asked for facts that no batch loads');
    this.#needs[index] = (need + 1) as Need;
  }

  /** Lets the next batches know. */
  learn(): void {
    if (this.#needs.every((need, index) => need === this.#likely[index])) return;
    // Graphs that the batch read first are at hand now.
    const nodes = nodesOf(this.#cache, this.#runs);
    this.#runs.forEach((run, index) => {
      const node = nodes[index];
      if (node) this.#cache.needs.learn(node, run.sendId !== null, this.#likely[index] ?? NOTHING, this.of(index));
    });
  }
}

/** Most runs of a batch are of few workflows. */
function nodesOf(cache: GraphCache, runs: readonly RunRow[]): (CompiledNode | undefined)[] {
  let last: RunRow | undefined;
  let graph: CompiledGraph | undefined;
  return runs.map((run) => {
    if (last?.workflowId !== run.workflowId || last.graphVersion !== run.graphVersion)
      graph = cache.known(run.workflowId, run.graphVersion);
    last = run;
    return graph?.byId.get(run.nodeId || graph.entryNodeId);
  });
}
