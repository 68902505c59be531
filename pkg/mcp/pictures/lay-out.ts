import { Graph, layout } from '@dagrejs/dagre';
import { type GraphShape, type Layout, NODE_HEIGHT, NODE_WIDTH, type Point } from './picture.ts';

/** Room beside a node, below it, and around all of it. */
const BESIDE = 36;
const BELOW = 44;
const AROUND = 16;
/** Of a label at an edge: width of a character, and its height. */
const LETTER = 7;
const LINE = 18;

/** From the top to the bottom, as leads walk; the same shape always gives the same layout. */
export function layOut({ nodes, edges }: GraphShape): Layout {
  const graph = new Graph({ directed: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: BESIDE, ranksep: BELOW, marginx: AROUND, marginy: AROUND });
  for (let at = 0; at < nodes; at++) graph.setNode(`n${at}`, { width: NODE_WIDTH, height: NODE_HEIGHT });
  edges.forEach(([from, to, label], at) => {
    const size = label === 0 ? { width: 0, height: 0 } : { width: label * LETTER + 12, height: LINE };
    graph.setEdge(`n${from}`, `n${to}`, { ...size, labelpos: 'c' }, `e${at}`);
  });
  layout(graph);
  const { width, height } = graph.graph() as { width?: number; height?: number };
  return {
    // Without a node there is nothing that would have a size.
    width: finite(width, 2 * AROUND),
    height: finite(height, 2 * AROUND),
    nodes: Array.from({ length: nodes }, (_, at) => {
      const { x, y } = graph.node(`n${at}`) as Point;
      return pointOf({ x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 });
    }),
    edges: edges.map(([from, to, label], at) => {
      const drawn = graph.edge(`n${from}`, `n${to}`, `e${at}`) as { points?: Point[] } & Partial<Point>;
      const { x, y } = drawn;
      const labelled = label > 0 && x !== undefined && y !== undefined;
      return { points: (drawn.points ?? []).map(pointOf), label: labelled ? pointOf({ x, y }) : null };
    }),
  };
}

const finite = (size: number | undefined, least: number): number =>
  size !== undefined && Number.isFinite(size) ? Math.ceil(size) : least;

/** To a tenth: nobody sees more. */
const pointOf = ({ x, y }: Point): Point => ({ x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 });
