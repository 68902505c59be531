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
  graph.setGraph({ rankdir: 'TB', nodesep: BESIDE, ranksep: BELOW });
  for (let at = 0; at < nodes; at++) graph.setNode(`n${at}`, { width: NODE_WIDTH, height: NODE_HEIGHT });
  edges.forEach(([from, to, label], at) => {
    const size = label === 0 ? { width: 0, height: 0 } : { width: label * LETTER + 12, height: LINE };
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
      return { points, label: labelled ? { x, y, width: label * LETTER + 12 } : null };
    }),
  });
}

/** Parts as they were placed. */
interface Placed {
  nodes: Point[];
  edges: { points: Point[]; label: (Point & { width: number }) | null }[];
}

/** Moved so that all of it lies within a frame with room around it: what leads a node to itself lies beside what was laid out. */
function framed({ nodes, edges }: Placed): Layout {
  const labels = edges.flatMap(({ label }) => (label === null ? [] : [label]));
  const seen = [
    ...nodes.flatMap(({ x, y }) => [
      { x, y },
      { x: x + NODE_WIDTH, y: y + NODE_HEIGHT },
    ]),
    ...edges.flatMap(({ points }) => points),
    ...labels.flatMap(({ x, y, width }) => [
      { x: x - width / 2, y: y - LINE / 2 },
      { x: x + width / 2, y: y + LINE / 2 },
    ]),
  ];
  const [left, top, right, bottom] = seen.reduce(
    ([l, t, r, b], { x, y }) => [Math.min(l, x), Math.min(t, y), Math.max(r, x), Math.max(b, y)] as const,
    seen.length === 0 ? [0, 0, 0, 0] : ([Infinity, Infinity, -Infinity, -Infinity] as const),
  );
  // To a tenth: nobody sees more.
  const moved = ({ x, y }: Point): Point => ({
    x: Math.round((x - left + AROUND) * 10) / 10,
    y: Math.round((y - top + AROUND) * 10) / 10,
  });
  return {
    width: Math.ceil(right - left) + 2 * AROUND,
    height: Math.ceil(bottom - top) + 2 * AROUND,
    nodes: nodes.map(moved),
    edges: edges.map(({ points, label }) => ({ points: points.map(moved), label: label && moved(label) })),
  };
}

/** An edge of a node to itself: out of its right side and back, in the room that is left there for it. */
function around({ x, y }: Point, room: readonly Point[] = []): Point[] {
  const [right, far, part] = [x + NODE_WIDTH / 2, Math.max(...room.map((point) => point.x)), NODE_HEIGHT / 4];
  return [
    { x: right, y: y - part },
    { x: far, y: y - part },
    { x: far, y: y + part },
    { x: right, y: y + part },
  ];
}
