import { HttpError } from '../../base/http/http-error.ts';
import type { Layouts } from './layouts.ts';
import { type DrawnGraph, drawnPart, NODE_HEIGHT, NODE_WIDTH, shapeOf } from './picture.ts';
import { type NodeCounts, pictureSvg } from './picture-svg.ts';
import { branchText, labelLines } from './shown-text.ts';

/** Calls a tool as who asks: its rights, limits and audit decide, and a picture shows what it answers and nothing else. @throws HttpError with the tool's own words */
export type ReadTool = (name: string, input: Record<string, unknown>) => Promise<unknown>;

export interface PictureAnswer {
  headers: Record<string, string>;
  body: string;
}

/** What is read of svc_get_workflow and svc_get_workflow_stats. */
interface Read {
  workflow: {
    workflowId: string;
    campaignId: string;
    name: string;
    enabled: boolean;
    graphVersion: number;
    graph: DrawnGraph;
  };
}
interface Stats {
  nodes: NodeCounts[];
}

/**
 * `<workflowId>.svg`: the graph with its counts as a file; `<workflowId>.json`: where its parts stand, for who draws it.
 * @param name the last part of its address
 * @param tenant whose turn it is where several ask
 * @throws HttpError 404 for another path, those of `read` and of `Layouts`
 */
export async function pictureAnswer(
  name: string,
  tenant: string,
  read: ReadTool,
  layouts: Layouts,
): Promise<PictureAnswer> {
  const [, id = '', form] = /^([^/]{1,600})\.(svg|json)$/.exec(name) ?? [];
  if (form === undefined) throw new HttpError(404, 'Pictures are at pictures/<workflowId>.svg and .json.');
  const workflowId = decoded(id);
  const { workflow } = (await read('svc_get_workflow', { workflowId })) as Read;
  const graph = drawnPart(workflow.graph);
  if (form === 'json') {
    const layout = await layouts.of(tenant, shapeOf(graph));
    const { campaignId, enabled, graphVersion } = workflow;
    const known = { workflowId: workflow.workflowId, campaignId, name: workflow.name, enabled, graphVersion };
    return answerOf('application/json; charset=utf-8', JSON.stringify({ ...known, ...placed(graph, layout) }));
  }
  const [layout, { nodes: counts }] = await Promise.all([
    layouts.of(tenant, shapeOf(graph)),
    read('svc_get_workflow_stats', { workflowId }) as Promise<Stats>,
  ]);
  return answerOf('image/svg+xml; charset=utf-8', pictureSvg({ name: workflow.name, graph, layout, counts }));
}

/** The graph's parts with where they stand. */
function placed({ nodes, edges }: DrawnGraph, layout: Awaited<ReturnType<Layouts['of']>>): object {
  return {
    width: layout.width,
    height: layout.height,
    node: { width: NODE_WIDTH, height: NODE_HEIGHT },
    nodes: nodes.map(({ nodeId, nodeType, label }, at) => {
      return { nodeId, nodeType, label, lines: labelLines({ nodeId, label }), ...layout.nodes[at] };
    }),
    edges: edges.map(({ sourceIndex, targetIndex, branch }, at) => ({
      from: nodes[sourceIndex]?.nodeId,
      to: nodes[targetIndex]?.nodeId,
      branch,
      text: branchText(branch),
      ...layout.edges[at],
    })),
  };
}

/** A browser that opens it by itself runs nothing of it, whatever it is. */
function answerOf(type: string, body: string): PictureAnswer {
  return {
    headers: {
      'content-type': type,
      'cache-control': 'private, no-store',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new HttpError(404, 'The address of this picture is broken.');
  }
}
