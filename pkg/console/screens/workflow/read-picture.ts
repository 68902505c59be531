import type { Output } from '../../api/call.ts';
import { get } from '../../api/http.ts';
import { type Resource, useResource, useTool } from '../../api/resource.ts';
import { workspace } from '../../app/session.ts';
import { useSlowly } from '../../parts/use-slowly.ts';

/** Where the parts of a graph stand, as the server laid them out. */
export interface Picture {
  workflowId: string;
  campaignId: string;
  name: string;
  enabled: boolean;
  graphVersion: number;
  width: number;
  height: number;
  /** Size of each node. */
  node: { width: number; height: number };
  /** `lines`: its label as it fits the node. */
  nodes: { nodeId: string; nodeType: string; label: string; lines: string[]; x: number; y: number }[];
  /** `label`: where its text stands, where it has one. */
  edges: { from: string; to: string; branch: string | null; text: string; points: Point[]; label: Point | null }[];
}

export interface Point {
  x: number;
  y: number;
}

export type NodeStats = Output<'svc_get_workflow_stats'>['nodes'][number];

/** Where a picture is, below the addresses that the console asks. */
export function picturePath(workflowId: string, form: 'json' | 'svg'): string {
  const { workspaceId = '' } = workspace.value ?? {};
  return `pictures/${encodeURIComponent(workflowId)}.${form}?workspaceId=${encodeURIComponent(workspaceId)}`;
}

/** The picture of a workflow. */
export function usePicture(workflowId: string): Resource<Picture> {
  const path = picturePath(workflowId, 'json');
  return useResource((signal) => get<Picture>(path, signal), [path]);
}

/** Who stands where, and what they wait for. */
export function useStats(workflowId: string): Resource<Output<'svc_get_workflow_stats'>> {
  const stats = useTool('svc_get_workflow_stats', { workflowId });
  useSlowly(stats, ['run', 'review', 'reply', 'connection', 'send']);
  return stats;
}

/** Where a node leads, in words: `accepted to Say hello`. */
export function waysOf(picture: Picture, nodeId: string): { branch: string | null; to: string; toId: string }[] {
  const names = new Map(picture.nodes.map((node) => [node.nodeId, node.label || node.nodeId]));
  return picture.edges
    .filter(({ from }) => from === nodeId)
    .map(({ branch, to }) => ({ branch, to: names.get(to) ?? to, toId: to }));
}
