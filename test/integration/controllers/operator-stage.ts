import { executorPodName } from '../../../pkg/controllers/names.ts';
import type { Condition, KubeObject } from '../../../pkg/kube/types.ts';
import { wakeWorkspace } from '../../../pkg/store/runs/wake.ts';
import { RESOURCES } from '../../../pkg/tools/resources/kinds.ts';
import { eventually, type TestCluster } from '../../tools/kube.ts';

interface Status {
  observedGeneration?: number;
  conditions?: Condition[];
  executor?: { state: string; podName?: string; epoch?: number };
  state?: string;
  counts?: object;
  graphVersion?: number;
}

export const NAMESPACE = 'outrider';
export const FLOW = { nodes: [{ nodeType: 'network:profile_view' }], edges: [] };
export const ACME = 'workspaces/outrider/acme';
export const CAMP = 'campaigns/outrider/camp';
export const OWF = 'workflows/outrider/flow';

/** What tests of the operator do and see: a workspace with a campaign and a workflow, as kubectl and the rows show them. */
export function stageOf(cluster: () => TestCluster) {
  const apply = (kind: 'Workspace' | 'Campaign' | 'Workflow', name: string, spec: object): Promise<KubeObject> =>
    cluster().client.apply(
      RESOURCES[kind],
      { apiVersion: 'outrider.dev/v1alpha1', kind, metadata: { name, namespace: NAMESPACE }, spec } as KubeObject,
      {
        fieldManager: 'kubectl',
        force: false,
      },
    );
  const applyAll = async (enabled = false): Promise<void> => {
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', enabled, graph: FLOW });
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
  };
  const status = async (key: string): Promise<Status> => ((await cluster().object(key))?.status ?? {}) as Status;
  const condition = async (key: string, type: string): Promise<Condition | undefined> =>
    (await status(key)).conditions?.find((one) => one.type === type);
  const ready = (key: string): Promise<true> =>
    eventually(`${key} ready`, async () => (await condition(key, 'Ready'))?.status === 'True');
  const row = <T>(sql: string): Promise<T | undefined> => cluster().db.tx({ kind: 'platform' }, (tx) => tx.row<T>(sql));
  const podName = async (): Promise<string> => executorPodName((await cluster().object(ACME))?.metadata.uid ?? '');
  const pod = async () => cluster().object(`pods/outrider/${await podName()}`);
  const wake = (): Promise<void> =>
    cluster().db.tx({ kind: 'platform' }, (tx) => wakeWorkspace(tx, 'acme', cluster().clock.now(), 'test'));
  const claim = (holder: string): Promise<{ epoch: number; token: string } | undefined> =>
    cluster().db.tx({ kind: 'platform' }, (tx) =>
      tx.row(`select epoch, token from take_claim('workspace', 'acme', $1)`, [holder]),
    );
  return { apply, applyAll, status, condition, ready, row, podName, pod, wake, claim };
}
