import type { KubeClient } from '../../../pkg/kube/client.ts';
import { isAlreadyExists } from '../../../pkg/kube/kube-error.ts';
import type { SpecObject } from '../../../pkg/kube/types.ts';
import { RESOURCES } from '../../../pkg/tools/resources/kinds.ts';

/** How many objects there are. */
export interface FleetSize {
  workspaces: number;
  campaigns: number;
  workflows: number;
}

/** Nodes of each workflow. */
const NODES = 10;
/** Requests under way at once while the fleet is made. */
const LANES = 16;
const API = 'outrider.dev/v1alpha1';

/** Idle workspaces with their campaigns and workflows, spread evenly; what is there already is left. */
export async function makeFleet(client: KubeClient, namespace: string, size: FleetSize): Promise<void> {
  const make = (kind: 'Workspace' | 'Campaign' | 'Workflow', name: string, spec: object): Promise<unknown> =>
    client
      .create<SpecObject>(
        RESOURCES[kind],
        { apiVersion: API, kind, metadata: { name, namespace }, spec } as SpecObject,
        {
          fieldManager: 'bench',
        },
      )
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
  await inLanes(size.workspaces, (index) =>
    make('Workspace', `w${index}`, { displayName: `Workspace ${index}`, owner: `owner${index}@example.com` }),
  );
  await inLanes(size.campaigns, (index) =>
    make('Campaign', `c${index}`, {
      workspaceRef: { name: `w${index % size.workspaces}` },
      title: `Campaign ${index}`,
    }),
  );
  await inLanes(size.workflows, (index) =>
    make('Workflow', `f${index}`, {
      campaignRef: { name: `c${index % size.campaigns}` },
      name: `Workflow ${index}`,
      enabled: false,
      graph: graph(),
    }),
  );
}

/** Ten nodes in a row, as wide in bytes as a usual sequence. */
function graph(): object {
  const nodes = Array.from({ length: NODES }, (_none, index) =>
    index % 2 === 0
      ? { nodeId: `n${index}`, nodeType: 'network:profile_view', label: `View ${index}`, config: {} }
      : {
          nodeId: `n${index}`,
          nodeType: 'flow:wait',
          label: `Wait ${index}`,
          config: { waitType: 'duration', durationMs: 86_400_000 },
        },
  );
  const edges = nodes.slice(1).map((_node, index) => ({ sourceIndex: index, targetIndex: index + 1 }));
  return { nodes, edges };
}

/** Runs `work` for 0 … count - 1, so many at once. */
export async function inLanes(count: number, work: (index: number) => Promise<unknown>, lanes = LANES): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
