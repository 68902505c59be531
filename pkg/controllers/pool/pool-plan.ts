/** What is known of a Pod of the pool. */
export interface PoolPodFact {
  name: string;
  /** The platform asks for no such member any more. */
  surplus: boolean;
  /** Workspaces are seated at it, or it holds a claim. */
  serves: boolean;
  /** It ended by itself. */
  ended: boolean;
  /** Made from another template than a Pod made now. */
  outdated: boolean;
  /** It runs and takes up work. */
  ready: boolean;
  /** Real ms past its grace period (negative before); null: it is not being deleted. */
  deletingOverdueMs: number | null;
}

export type PoolAction = { do: 'create'; name: string } | { do: 'delete'; name: string; force: boolean; why: string };

/** A node that does not confirm a deletion for so long (real ms) is taken for lost; fencing makes a forced deletion safe. */
const LOST_NODE_MS = 30_000;

/**
 * Decides about the Pods of the pool. Pure. One that is surplus goes when it serves nobody any more; those of an older template go
 * one after another, each when all others are ready.
 */
export function planPool(wanted: readonly string[], pods: readonly PoolPodFact[]): PoolAction[] {
  const there = new Set(pods.map((pod) => pod.name));
  const actions: PoolAction[] = wanted.filter((name) => !there.has(name)).map((name) => ({ do: 'create', name }));
  for (const pod of pods) {
    const { name, deletingOverdueMs, ended, surplus, serves } = pod;
    if (deletingOverdueMs !== null) {
      if (deletingOverdueMs > LOST_NODE_MS)
        actions.push({ do: 'delete', name, force: true, why: 'its node does not answer' });
    } else if (ended) actions.push({ do: 'delete', name, force: false, why: 'it ended' });
    else if (surplus && !serves) actions.push({ do: 'delete', name, force: false, why: 'the platform asks for fewer' });
  }
  const replaced = pods.find((pod) => pod.outdated && !pod.surplus);
  const calm = actions.length === 0 && pods.every((pod) => pod.ready || pod === replaced);
  if (replaced && calm) actions.push({ do: 'delete', name: replaced.name, force: false, why: 'its template changed' });
  return actions;
}
