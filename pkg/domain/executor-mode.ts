/** How a workspace is served: by a pod of its own, or by one that serves many. */
export const EXECUTOR_MODES = ['Dedicated', 'Pooled'] as const;
export type ExecutorMode = (typeof EXECUTOR_MODES)[number];

/** Why a workspace that is to be pooled has a pod of its own. */
export type NotPooled = 'PlacementRules' | 'NoPool';

export interface ModeFacts {
  /** What the Workspace says; absent: what the platform says. */
  wished: ExecutorMode | undefined;
  /** What the platform says. */
  usual: ExecutorMode;
  /** What the Workspace says of its own pod: resources, nodes, tolerations, priority. Names of its fields. */
  placement: readonly string[];
  /** Processes of the pool; 0: there is none. */
  replicas: number;
}

/** The mode in force, and why it is not the one that is wished. */
export interface ModeInForce {
  mode: ExecutorMode;
  /** Present where Pooled is wished. */
  wished?: { by: 'workspace' | 'platform'; refused: NotPooled | null };
}

/** A pool has one kind of pod for all: who needs another one keeps its own. Without a pool everybody does. */
export function modeInForce({ wished, usual, placement, replicas }: ModeFacts): ModeInForce {
  if ((wished ?? usual) === 'Dedicated') return { mode: 'Dedicated' };
  const by = wished === undefined ? 'platform' : 'workspace';
  const refused = replicas === 0 ? 'NoPool' : placement.length > 0 ? 'PlacementRules' : null;
  return { mode: refused ? 'Dedicated' : 'Pooled', wished: { by, refused } };
}
