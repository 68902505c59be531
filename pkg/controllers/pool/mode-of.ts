import type { WorkspaceSpec } from '../../api/specs.ts';
import { type ModeInForce, modeInForce } from '../../domain/executor-mode.ts';
import type { ExecutorSettings } from '../context.ts';

/** What makes the pod of a Workspace different from all others. */
const PLACEMENT = ['resources', 'nodeSelector', 'tolerations', 'priorityClassName'] as const;

/** How a Workspace is served. @param executor its `spec.executor` */
export function modeOf(
  { mode, pool }: Pick<ExecutorSettings, 'mode' | 'pool'>,
  executor: WorkspaceSpec['executor'],
): ModeInForce {
  return modeInForce({
    wished: executor.mode,
    usual: mode ?? 'Dedicated',
    placement: PLACEMENT.filter((name) => executor[name] !== undefined),
    replicas: pool?.replicas ?? 0,
  });
}
