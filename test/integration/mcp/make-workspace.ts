import { workspaceSpec } from '../../../pkg/api/workspace.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { intentOf } from '../../tools/intent-of.ts';
import type { TestCluster } from '../../tools/kube.ts';

/** A workspace as resource and row; its id is its name. */
export async function makeWorkspace(cluster: TestCluster, name: string): Promise<void> {
  await cluster.resources({ ids: { uuid: systemIds.uuid, name: () => name } }).create({
    kind: 'Workspace',
    workspaceId: '',
    prefix: 'ws',
    spec: workspaceSpec.parse({ displayName: name, owner: `owner@${name}.example` }),
    intent: intentOf('', name),
    finish: async (_tx, written) => ({ id: written.id }),
  });
}
