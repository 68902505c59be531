import { FINALIZER } from '../../../pkg/api/kind.ts';
import type { KindName } from '../../../pkg/api/specs.ts';
import type { KubeClient } from '../../../pkg/kube/client.ts';
import { isAlreadyExists } from '../../../pkg/kube/kube-error.ts';
import type { KubeObject, SpecObject } from '../../../pkg/kube/types.ts';
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

/**
 * Idle workspaces with their campaigns and workflows, spread evenly; what is there already is left. As a restored backup
 * has them: with our finalizer, so that the operator's first pass writes each status and no more.
 */
export async function makeFleet(client: KubeClient, namespace: string, size: FleetSize): Promise<void> {
  const make = async (kind: KindName, { name, spec }: { name: string; spec: object }): Promise<KubeObject> => {
    const metadata = { name, namespace, finalizers: [FINALIZER] };
    const object = { apiVersion: API, kind, metadata, spec } as unknown as SpecObject;
    try {
      return await client.create<SpecObject>(RESOURCES[kind], object, { fieldManager: 'bench' });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return client.get<SpecObject>(RESOURCES[kind], metadata);
    }
  };
  // Children of one parent are neighbours.
  const above = (index: number, children: number, parents: number): number => Math.floor((index * parents) / children);
  await inLanes(size.workspaces, (index) => {
    const spec = { displayName: `Workspace ${index}`, owner: `owner${index}@example.com` };
    return make('Workspace', { name: `w${index}`, spec });
  });
  await inLanes(size.campaigns, (index) => {
    const at = above(index, size.campaigns, size.workspaces);
    const spec = { workspaceRef: { name: `w${at}` }, title: `Campaign ${index}` };
    return make('Campaign', { name: `c${index}`, spec });
  });
  await inLanes(size.workflows, (index) => {
    const at = above(index, size.workflows, size.campaigns);
    const spec = { campaignRef: { name: `c${at}` }, name: `Workflow ${index}`, enabled: false, graph: graph() };
    return make('Workflow', { name: `f${index}`, spec });
  });
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

/** Runs `work` for 0 … count - 1, so many at once. @returns the results by index */
export async function inLanes<T>(count: number, work: (index: number) => Promise<T>, lanes = LANES): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
