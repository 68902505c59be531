import { markupText } from '../../base/markup-text.ts';
import { type DrawnGraph, type Layout, NODE_HEIGHT, NODE_WIDTH, type Point } from './picture.ts';
import { branchText, cutTo, LETTERS, labelLines, shownText } from './shown-text.ts';

/** What stands at a node, as svc_get_workflow_stats tells it. */
export interface NodeCounts {
  nodeId: string;
  standing: number;
  /** Of those who stand there, by what they wait for. */
  waiting: Readonly<Record<string, number>>;
}

/** A workflow as it is drawn. */
export interface Drawing {
  name: string;
  graph: DrawnGraph;
  layout: Layout;
  counts: readonly NodeCounts[];
}

const INSET = 12;

/**
 * The picture as a file of its own: it needs nothing from outside, runs nothing, and holds all texts as text. Colours are those of
 * paper, since it ends in documents.
 */
export function pictureSvg({ name, graph, layout, counts }: Drawing): string {
  const { width, height } = layout;
  const byId = new Map(counts.map((one) => [one.nodeId, one]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${textOf(name)}</title>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#59636e"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...graph.edges.map(({ branch }, at) => edgeOf(layout.edges[at], branch)),
    ...graph.nodes.map((node, at) => nodeOf(node, layout.nodes[at] ?? { x: 0, y: 0 }, byId.get(node.nodeId))),
    '</svg>\n',
  ].join('\n');
}

function edgeOf(edge: Layout['edges'][number] | undefined, branch: string | null): string {
  if (!edge || edge.points.length < 2) return '';
  const path = `<path d="${pathOf(edge.points)}" fill="none" stroke="#59636e" marker-end="url(#tip)"/>`;
  if (edge.label === null) return path;
  const { x, y } = edge.label;
  const text = textOf(branchText(branch));
  return `${path}\n<text x="${x}" y="${y + 4}" text-anchor="middle" font-size="12" fill="#1f2328" stroke="#ffffff" stroke-width="4" paint-order="stroke">${text}</text>`;
}

/** Straight between points: the corners are few, and every end is where its node is. */
function pathOf(points: readonly Point[]): string {
  return points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('');
}

function nodeOf(node: DrawnGraph['nodes'][number], { x, y }: Point, counts: NodeCounts | undefined): string {
  const label = shownText(node.label) || shownText(node.nodeId);
  const lines = labelLines(node);
  const standing = counts?.standing ?? 0;
  return [
    `<g><title>${textOf(label)}</title>`,
    `<rect x="${x}" y="${y}" width="${NODE_WIDTH}" height="${NODE_HEIGHT}" rx="8" fill="${standing > 0 ? '#ddf4ff' : '#f6f8fa'}" stroke="${standing > 0 ? '#0969da' : '#59636e'}"/>`,
    // A picture in the picture shows nothing beyond its edges.
    `<svg x="${x}" y="${y}" width="${NODE_WIDTH - 4}" height="${NODE_HEIGHT}">`,
    ...lines.map((line, at) =>
      lineOf(line, (lines.length === 1 ? 28 : 22) + at * 17, 'font-weight="600" fill="#1f2328"'),
    ),
    lineOf(cutTo(shownText(node.nodeType), LETTERS + 3), 58, 'font-size="12" fill="#59636e"'),
    lineOf(cutTo(countsText(counts), LETTERS + 5), 77, 'font-size="12" fill="#1f2328"'),
    '</svg></g>',
  ].join('');
}

/** How many leads stand there, and what most of them wait for. */
function countsText(counts: NodeCounts | undefined): string {
  if (!counts || counts.standing === 0) return '';
  const reasons = Object.entries(counts.waiting)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${shownText(reason).replaceAll('_', ' ')} ${count}`);
  return [`${counts.standing} here`, ...reasons].join(' · ');
}

const lineOf = (text: string, y: number, style: string): string =>
  text === '' ? '' : `<text x="${INSET}" y="${y}" ${style}>${textOf(text)}</text>`;

const textOf = (text: string): string => markupText(shownText(text));
