import { around, framed, labelWidth, type Placed } from './framed.ts';
import { type GraphShape, type Layout, NODE_HEIGHT, NODE_WIDTH, type Point } from './picture.ts';
import { quickRanks } from './quick-ranks.ts';

type Edge = GraphShape['edges'][number];

/** Room beside a node; below a row, where edges run across and labels stand; and between edges that run beside each other. */
const BESIDE = 36;
const BELOW = 64;
const APART = 6;
/** Edges that run across between two rows share so many heights. */
const HEIGHTS = 8;

/**
 * A plain layout for graphs that cost the good one too much: rows by rank, each ordered once by where its nodes are led to from. Edges
 * to the next row are straight; all others run between the rows and beside all nodes, so that no edge crosses a node. It takes some
 * milliseconds for the largest graph, and the same shape always gives the same layout.
 */
export function quickLayout(shape: GraphShape): Layout {
  const { nodes, edges } = shape;
  const ranks = quickRanks(shape);
  const middles = middlesOf(shape, ranks);
  const half = Math.max(0, ...middles.map(({ x }) => Math.abs(x))) + NODE_WIDTH / 2 + BESIDE;
  return framed({
    nodes: Array.from({ length: nodes }, (_, at) => {
      const { x, y } = middles[at] ?? { x: 0, y: 0 };
      return { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
    }),
    edges: edges.map((edge, at) => {
      const [from, to] = edge;
      const far = half + at * APART;
      const step = (ranks[to] ?? 0) - (ranks[from] ?? 0);
      return drawn(edge, at, { from: middles[from], to: middles[to], step, lane: step > 0 ? -far : far });
    }),
  });
}

/** Middles of nodes: row by row, each around the same axis. */
function middlesOf({ nodes, edges }: GraphShape, ranks: readonly number[]): Point[] {
  const above = Array.from({ length: nodes }, (): number[] => []);
  for (const [from, to] of edges) if ((ranks[from] ?? 0) < (ranks[to] ?? 0)) above[to]?.push(from);
  const rows: number[][] = [];
  ranks.forEach((rank, node) => {
    rows[rank] ??= [];
    rows[rank].push(node);
  });
  const middles = Array.from({ length: nodes }, (): Point => ({ x: 0, y: 0 }));
  rows.forEach((row, rank) => {
    const wanted = new Map(row.map((node) => [node, meanX(above[node] ?? [], middles)]));
    row.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0) || a - b);
    row.forEach((node, at) => {
      middles[node] = { x: (at - (row.length - 1) / 2) * (NODE_WIDTH + BESIDE), y: rank * (NODE_HEIGHT + BELOW) };
    });
  });
  return middles;
}

function meanX(nodes: readonly number[], middles: readonly Point[]): number {
  return nodes.length === 0 ? 0 : nodes.reduce((sum, node) => sum + (middles[node]?.x ?? 0), 0) / nodes.length;
}

/** Middles of both ends, rows from one to the other, and x of what leads past the rows between. */
interface Way {
  from: Point | undefined;
  to: Point | undefined;
  step: number;
  lane: number;
}

function drawn([from, to, letters]: Edge, at: number, way: Way): Placed['edges'][number] {
  const [source, target] = [way.from ?? { x: 0, y: 0 }, way.to ?? { x: 0, y: 0 }];
  const width = labelWidth(letters);
  const labelled = (label: Point): Placed['edges'][number]['label'] => (letters > 0 ? { ...label, width } : null);
  if (from === to) {
    const right = source.x + NODE_WIDTH / 2;
    const points = around(source, [{ x: right + BESIDE / 2, y: source.y }]);
    return { points, label: labelled({ x: right, y: source.y + NODE_HEIGHT / 2 + BELOW / 4 }) };
  }
  const [start, end] = [
    { x: source.x, y: source.y + NODE_HEIGHT / 2 },
    { x: target.x, y: target.y - NODE_HEIGHT / 2 },
  ];
  if (way.step === 1)
    return { points: [start, end], label: labelled({ x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 }) };
  const height = APART + ((at % HEIGHTS) + 1) * APART;
  const [below, over] = [start.y + height, end.y - BELOW + height];
  const across = [
    { x: start.x, y: below },
    { x: way.lane, y: below },
    { x: way.lane, y: over },
    { x: end.x, y: over },
  ];
  // Beside where it leaves, so that what goes straight down is not hidden.
  const aside = Math.sign(way.lane - start.x) * (NODE_WIDTH / 4 + width / 2);
  return { points: [start, ...across, end], label: labelled({ x: start.x + aside, y: below }) };
}
