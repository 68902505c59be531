import { z } from 'zod';
import type { CompiledGraph } from '../../domain/graph.ts';
import { compileGraph } from '../../nodes/compile-graph.ts';
import type { Tx } from '../../postgres/database.ts';
import { readGraph } from '../../store/runs/batch-facts.ts';
import { FactNeeds } from './fact-needs.ts';

const stored = z.object({
  nodes: z.array(
    z.object({ nodeId: z.string(), nodeType: z.string(), label: z.string(), config: z.record(z.string(), z.json()) }),
  ),
  edges: z.array(z.object({ sourceIndex: z.number(), targetIndex: z.number(), branch: z.string().nullish() })),
});

/** Versions kept compiled at most; versions never change. */
const MAX_GRAPHS = 500;

/** Compiled graph versions of one workspace; a version that does not compile (any more) is kept as null. */
export class GraphCache {
  readonly #graphs = new Map<string, CompiledGraph | null>();
  /** What walks through these graphs needed. */
  readonly needs = new FactNeeds();

  /** The graph if it is at hand. */
  known(workflowId: string, version: number): CompiledGraph | undefined {
    return this.#graphs.get(`${workflowId}/${version}`) ?? undefined;
  }

  /** The graph, or null when it is missing or does not compile. */
  async get(tx: Tx, workflowId: string, version: number): Promise<CompiledGraph | null> {
    const key = `${workflowId}/${version}`;
    const known = this.#graphs.get(key);
    if (known !== undefined) return known;
    const raw = await readGraph(tx, workflowId, version);
    if (!raw) return null;
    const parsed = stored.safeParse(raw);
    const compiled = parsed.success ? compileGraph(parsed.data, { inForce: true }).compiled : null;
    if (this.#graphs.size >= MAX_GRAPHS) this.#graphs.clear();
    this.#graphs.set(key, compiled);
    return compiled;
  }
}
