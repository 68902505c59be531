import { expect } from 'chai';
import fc from 'fast-check';
import { layOut as goodLayout } from '../../../../pkg/mcp/pictures/lay-out.ts';
import {
  type GraphShape,
  type Layout,
  NODE_HEIGHT,
  NODE_WIDTH,
  type Point,
} from '../../../../pkg/mcp/pictures/picture.ts';
import { quickLayout } from '../../../../pkg/mcp/pictures/quick-layout.ts';

/** Coordinates are told to a tenth. */
const NEAR = 0.2;

/** Graphs of any kind: branches, joins, cycles, nodes that lead to themselves, several edges between two, parts that hang alone. */
const shapes = fc.integer({ min: 1, max: 14 }).chain((nodes) =>
  fc.record({
    nodes: fc.constant(nodes),
    edges: fc.array(fc.tuple(fc.nat({ max: nodes - 1 }), fc.nat({ max: nodes - 1 }), fc.nat({ max: 24 })), {
      maxLength: nodes * 2,
    }),
  }),
);

/** A funnel with branches, joins and ways back, as long as graphs may be. */
function longest(): GraphShape {
  const edges = Array.from({ length: 400 }, (_, at): [number, number, number] =>
    at < 199 ? [at, at + 1, at % 3] : [(at * 7) % 200, (at * 7 + (at % 5 === 0 ? 190 : 9)) % 200, at % 20],
  );
  return { nodes: 200, edges };
}

/** Pairs of nodes that lie on each other. */
function overlaps({ nodes }: Layout): string[] {
  return nodes.flatMap((a, at) =>
    nodes.slice(at + 1).flatMap((b, after) => {
      const apart = Math.abs(a.x - b.x) >= NODE_WIDTH - NEAR || Math.abs(a.y - b.y) >= NODE_HEIGHT - NEAR;
      return apart ? [] : [`${at} and ${at + 1 + after}`];
    }),
  );
}

/** Whether a point lies on the edge of a node's box. */
function touches(point: Point | undefined, node: Point | undefined): boolean {
  if (!point || !node) return false;
  const [x, y] = [point.x - node.x, point.y - node.y];
  const within = x >= -NEAR && x <= NODE_WIDTH + NEAR && y >= -NEAR && y <= NODE_HEIGHT + NEAR;
  const near = (value: number, wanted: number): boolean => Math.abs(value - wanted) <= NEAR;
  return within && (near(x, 0) || near(x, NODE_WIDTH) || near(y, 0) || near(y, NODE_HEIGHT));
}

/** Edges of which an end is not at its node. */
function looseEnds({ edges }: GraphShape, layout: Layout): string[] {
  return edges.flatMap(([from, to], at) => {
    const points = layout.edges[at]?.points ?? [];
    const begins = touches(points[0], layout.nodes[from]);
    return begins && touches(points.at(-1), layout.nodes[to]) ? [] : [`${at}: ${from} to ${to}`];
  });
}

function outside({ width, height, nodes, edges }: Layout): Point[] {
  const corners = nodes.flatMap(({ x, y }) => [
    { x, y },
    { x: x + NODE_WIDTH, y: y + NODE_HEIGHT },
  ]);
  return [...corners, ...edges.flatMap(({ points }) => points)].filter(
    ({ x, y }) => !(x >= -NEAR && y >= -NEAR && x <= width + NEAR && y <= height + NEAR),
  );
}

/** Nodes that an edge crosses; corners lie on one height or one side but for what leads to the next row. */
function crossed({ nodes, edges }: Layout): string[] {
  return edges.flatMap(({ points }, at) =>
    points.slice(1).flatMap((b, before) => {
      const a = points[before] ?? b;
      const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
      const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
      return nodes.flatMap(({ x, y }, node) => {
        const apart =
          right <= x + NEAR || left >= x + NODE_WIDTH - NEAR || bottom <= y + NEAR || top >= y + NODE_HEIGHT - NEAR;
        return apart ? [] : [`edge ${at} crosses ${node}`];
      });
    }),
  );
}

for (const [name, layOut] of [
  ['layout of graphs', goodLayout],
  ['plain layout of graphs that take too much', quickLayout],
] as const)
  describe(name, function () {
    this.timeout(120_000);

    it('no two nodes overlap, every edge ends at its nodes, and nothing lies outside', () => {
      fc.assert(
        fc.property(shapes, (shape) => {
          const layout = layOut(shape);
          expect(overlaps(layout), 'overlap').to.deep.equal([]);
          expect(looseEnds(shape, layout), 'loose ends').to.deep.equal([]);
          expect(outside(layout), 'outside').to.deep.equal([]);
        }),
        { numRuns: 200 },
      );
    });

    it('the same graph gives the same picture, whatever was laid out before', () => {
      fc.assert(
        fc.property(shapes, shapes, (shape, other) => {
          const first = layOut(shape);
          layOut(other);
          expect(layOut(shape)).to.deep.equal(first);
        }),
        { numRuns: 50 },
      );
    });

    it('200 nodes with 400 edges and ways back are laid out as well', () => {
      const shape = longest();
      const layout = layOut(shape);
      expect(overlaps(layout)).to.deep.equal([]);
      expect(looseEnds(shape, layout)).to.deep.equal([]);
      expect(outside(layout)).to.deep.equal([]);
    });

    it('a graph without nodes has a picture too', () => {
      expect(layOut({ nodes: 0, edges: [] })).to.deep.include({ nodes: [], edges: [] });
    });
  });

describe('plain layout of graphs', () => {
  it('no edge crosses a node', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        expect(crossed(quickLayout(shape))).to.deep.equal([]);
      }),
      { numRuns: 200 },
    );
    expect(crossed(quickLayout(longest()))).to.deep.equal([]);
  });

  it('a chain goes down, a way back does not turn it round, and who is led to from the left stands left', () => {
    const chain = quickLayout({
      nodes: 3,
      edges: [
        [0, 1, 0],
        [1, 2, 0],
        [2, 0, 0],
      ],
    });
    const [a, b, c] = chain.nodes.map(({ y }) => y);
    expect([a, b, c]).to.deep.equal([a, b, c].toSorted((one, two) => (one ?? 0) - (two ?? 0)));
    expect(new Set([a, b, c]).size).to.equal(3);
    const fork = quickLayout({
      nodes: 5,
      edges: [
        [0, 1, 0],
        [0, 2, 0],
        [1, 4, 0],
        [2, 3, 0],
      ],
    });
    expect(fork.nodes[4]?.x).to.be.lessThan(fork.nodes[3]?.x ?? 0);
  });

  it('the largest graphs, where all leads to all, and the longest chain, have a picture', () => {
    const dense = Array.from({ length: 512 }, (_, at): [number, number, number] => [
      at % 23,
      (at * 5 + (at >> 4)) % 23,
      24,
    ]);
    const back = Array.from({ length: 255 }, (_, at): [number, number, number] => [at + 1, at, 0]);
    for (const shape of [
      { nodes: 256, edges: dense },
      { nodes: 256, edges: back },
      { nodes: 256, edges: [] },
    ])
      expect(overlaps(quickLayout(shape))).to.deep.equal([]);
  });
});
