import { type Layout, NODE_HEIGHT, NODE_WIDTH, type Point } from './picture.ts';

/** Room around all parts. */
const AROUND = 16;
/** Of a label at an edge: width of a character, and its height. */
const LETTER = 7;
export const LINE = 18;

/** Width of a label of so many characters. */
export const labelWidth = (letters: number): number => letters * LETTER + 12;

/** Parts as they were placed. */
export interface Placed {
  nodes: Point[];
  edges: { points: Point[]; label: (Point & { width: number }) | null }[];
}

/** Moved so that all of it lies within a frame with room around it: what leads a node to itself lies beside what was laid out. */
export function framed({ nodes, edges }: Placed): Layout {
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
export function around({ x, y }: Point, room: readonly Point[] = []): Point[] {
  const [right, far, part] = [x + NODE_WIDTH / 2, Math.max(...room.map((point) => point.x)), NODE_HEIGHT / 4];
  return [
    { x: right, y: y - part },
    { x: far, y: y - part },
    { x: far, y: y + part },
    { x: right, y: y + part },
  ];
}
