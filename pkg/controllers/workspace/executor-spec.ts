import type { WorkspaceSpec } from '../../api/specs.ts';
import { workspaceSpec } from '../../api/workspace.ts';

/** What a Workspace says of its executor; the defaults when that is not valid. @param given its `spec.executor` */
export function executorSpec(given: unknown): WorkspaceSpec['executor'] {
  return workspaceSpec.shape.executor.safeParse(given).data ?? { idleTimeout: '5m' };
}
