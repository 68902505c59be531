import { Graph, layout } from '@dagrejs/dagre';
import { around, framed, LINE, labelWidth } from './framed.ts';
import { type GraphShape, type Layout, NODE_HEIGHT, NODE_WIDTH, type Point } from './picture.ts';

/** Room beside a node, and below it. */
const BESIDE = 36;
const BELOW = 44;

/** From the top to the bottom, as leads walk; the same shape always gives the same layout. */
export function layOut({ nodes, edges }: GraphShape): Layout {
  const graph = new Graph({ directed: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: BESIDE, ranksep: BELOW });
  for (let at = 0; at < nodes; at++) graph.setNode(`n${at}`, { width: NODE_WIDTH, height: NODE_HEIGHT });
  edges.forEach(([from, to, label], at) => {
    const size = label === 0 ? { width: 0, height: 0 } : { width: labelWidth(label), height: LINE };
    graph.setEdge(`n${from}`, `n${to}`, { ...size, labelpos: 'c' }, `e${at}`);
  });
  layout(graph);
  return framed({
    nodes: Array.from({ length: nodes }, (_, at) => {
      const { x, y } = graph.node(`n${at}`) as Point;
      return { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
    }),
    edges: edges.map(([from, to, label], at) => {
      const drawn = graph.edge(`n${from}`, `n${to}`, `e${at}`) as { points?: Point[] } & Partial<Point>;
      const { x, y } = drawn;
      const labelled = label > 0 && x !== undefined && y !== undefined;
      const points = from === to ? around(graph.node(`n${from}`) as Point, drawn.points) : (drawn.points ?? []);
      return { points, label: labelled ? { x, y, width: labelWidth(label) } : null };
    }),
  });
}
