import { createHash } from 'node:crypto';
import type { GraphShape } from './picture.ts';

/** Graphs at most of which is kept that they took too much (44 bytes each), and workspaces whose graphs did. */
const MOST_GRAPHS = 10_000;
const MOST_TENANTS = 1_000;
/** Graphs of a tenant that may take too much in ten minutes. */
const MOST_OF_A_TENANT = 3;
const WINDOW_MS = 10 * 60_000;
/** Nodes and edges up to which a graph never takes long. */
const SMALL = 60;

/** Which graphs took too much, so that each does it once, and whose they were. */
export class Overruns {
  readonly #now: () => number;
  /** Both in the order in which they came. */
  readonly #graphs = new Set<string>();
  readonly #tenants = new Map<string, { until: number; count: number }>();

  /** @param now monotonic ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(tenant: string, shape: GraphShape): void {
    this.#graphs.add(keyOf(shape));
    if (this.#graphs.size > MOST_GRAPHS) this.#graphs.delete(first(this.#graphs));
    const now = this.#now();
    const known = this.#tenants.get(tenant);
    if (known && now < known.until) {
      known.count++;
      return;
    }
    this.#tenants.delete(tenant);
    this.#tenants.set(tenant, { until: now + WINDOW_MS, count: 1 });
    if (this.#tenants.size > MOST_TENANTS) this.#tenants.delete(first(this.#tenants));
  }

  /** Whether this graph took too much, whatever its labels and the order of its edges were. */
  has(shape: GraphShape): boolean {
    return this.#graphs.has(keyOf(shape));
  }

  /** Whether the tenant had enough graphs that took too much for now, and this one is none that never does. */
  isSpent(tenant: string, { nodes, edges }: GraphShape): boolean {
    if (nodes + edges.length <= SMALL) return false;
    const known = this.#tenants.get(tenant);
    return known !== undefined && this.#now() < known.until && known.count >= MOST_OF_A_TENANT;
  }
}

function keyOf({ nodes, edges }: GraphShape): string {
  const led = edges.map(([from, to]) => from * nodes + to).sort((a, b) => a - b);
  return createHash('sha256')
    .update(JSON.stringify([nodes, led]))
    .digest('base64');
}

const first = (kept: { keys: () => Iterator<string> }): string => kept.keys().next().value ?? '';
