/** Width and height of a node in a picture, in its units (pixels at full size). */
export const NODE_WIDTH = 220;
export const NODE_HEIGHT = 88;

/** What is beyond is not drawn. A graph has at most 200 nodes and 400 edges (pkg/tools/records/graph.ts). */
export const MOST_NODES = 256;
export const MOST_EDGES = 512;

/** Of a graph what its layout depends on: numbers alone, so that what is kept of it tells nothing of anybody. */
export interface GraphShape {
  nodes: number;
  /** From node, to node, and characters of the label (0: none). */
  edges: readonly (readonly [from: number, to: number, label: number])[];
}

export interface Point {
  x: number;
  y: number;
}

/** Where a graph's parts stand; in the order of the shape. */
export interface Layout {
  width: number;
  height: number;
  /** Upper left corner of each node. */
  nodes: Point[];
  edges: { points: Point[] /** Middle of its label; null: it has none. */; label: Point | null }[];
}

/** A graph as svc_get_workflow returns it. */
export interface DrawnGraph {
  nodes: readonly { nodeId: string; nodeType: string; label: string }[];
  edges: readonly { sourceIndex: number; targetIndex: number; branch: string | null }[];
}

/** Characters of an edge's label that are shown; what is longer ends in an ellipsis. */
export const MOST_BRANCH = 24;

/** What of a graph is drawn; edges that lead nowhere are not. */
export function drawnPart({ nodes, edges }: DrawnGraph): DrawnGraph {
  const drawn = nodes.slice(0, MOST_NODES);
  const isNode = (index: number): boolean => Number.isInteger(index) && index >= 0 && index < drawn.length;
  const leads = edges.filter(({ sourceIndex, targetIndex }) => isNode(sourceIndex) && isNode(targetIndex));
  return { nodes: drawn, edges: leads.slice(0, MOST_EDGES) };
}

/** The shape of what is drawn. */
export function shapeOf({ nodes, edges }: DrawnGraph): GraphShape {
  return {
    nodes: nodes.length,
    edges: edges.map(({ sourceIndex, targetIndex, branch }) => [
      sourceIndex,
      targetIndex,
      Math.min(MOST_BRANCH, [...(branch ?? '')].length),
    ]),
  };
}
