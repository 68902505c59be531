import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { count, plainWords, waitWords } from '../../parts/words.ts';
import { type NodeStats, type Picture, picturePath } from './read-picture.ts';

const STEP = 1.25;
const [SMALLEST, LARGEST] = [0.1, 3];
/** Below it nobody reads a label: a picture is not made smaller than that by itself. */
const LEGIBLE = 0.5;

interface Props {
  picture: Picture;
  stats: ReadonlyMap<string, NodeStats>;
  chosen: string | undefined;
  onChoose: (nodeId: string) => void;
}

/**
 * The graph as a picture: moved by its scroll bars and by dragging, larger and smaller by its buttons. Who does not see it has the list
 * of steps beside it, which says the same.
 */
export function PictureView({ picture, stats, chosen, onChoose }: Props) {
  const frame = useRef<HTMLElement>(null);
  const [scale, setScale] = useState(1);
  const scaleTo = (least: number): void => {
    const room = frame.current?.clientWidth ?? picture.width;
    setScale(Math.max(least, Math.min(1, room / picture.width)));
  };
  // Once for each picture.
  useEffect(() => scaleTo(LEGIBLE), [picture.workflowId, picture.graphVersion]);
  const larger = (by: number): void => setScale((now) => Math.min(LARGEST, Math.max(SMALLEST, now * by)));
  return (
    <div class="picture">
      <div class="picture-deeds">
        <button
          type="button"
          class="button button-small"
          aria-label="Smaller"
          disabled={scale <= SMALLEST}
          onClick={() => larger(1 / STEP)}
        >
          −
        </button>
        <button
          type="button"
          class="button button-small"
          aria-label="Larger"
          disabled={scale >= LARGEST}
          onClick={() => larger(STEP)}
        >
          +
        </button>
        <button type="button" class="button button-small" onClick={() => scaleTo(SMALLEST)}>
          Whole
        </button>
        <a class="button button-small" href={`/console/api/${picturePath(picture.workflowId, 'svg')}`} download>
          <Icon name="download" size={16} /> SVG
        </a>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what moves has to be moved by keys, too */}
      <section class="picture-frame" ref={frame} aria-label="Picture of the workflow" tabIndex={0}>
        <svg
          class="graph"
          role="img"
          aria-label={`${count(picture.nodes.length)} steps from top to bottom; the list of steps says the same.`}
          width={Math.ceil(picture.width * scale)}
          height={Math.ceil(picture.height * scale)}
          viewBox={`0 0 ${picture.width} ${picture.height}`}
        >
          <defs>
            <marker id="graph-tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
              <path class="graph-tip" d="M0 0 8 4 0 8z" />
            </marker>
          </defs>
          {picture.edges.map((edge, place) => (
            <Edge key={place} edge={edge} />
          ))}
          {picture.nodes.map((node) => (
            <Node
              key={node.nodeId}
              node={node}
              size={picture.node}
              stats={stats.get(node.nodeId)}
              chosen={node.nodeId === chosen}
              onChoose={onChoose}
            />
          ))}
        </svg>
      </section>
    </div>
  );
}

function Edge({ edge: { points, text, label } }: { edge: Picture['edges'][number] }) {
  if (points.length < 2) return null;
  const path = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  return (
    <>
      <path class="graph-edge" d={path} marker-end="url(#graph-tip)" />
      {label === null ? null : (
        <text class="graph-branch" x={label.x} y={label.y + 4} text-anchor="middle">
          {text}
        </text>
      )}
    </>
  );
}

function Node({
  node,
  size,
  stats,
  chosen,
  onChoose,
}: {
  node: Picture['nodes'][number];
  size: Picture['node'];
  stats: NodeStats | undefined;
  chosen: boolean;
  onChoose: (nodeId: string) => void;
}) {
  const { nodeId, nodeType, label, lines, x, y } = node;
  const standing = stats?.standing ?? 0;
  const words = ['graph-node', ...(standing > 0 ? ['graph-busy'] : []), ...(chosen ? ['graph-chosen'] : [])];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list of steps does the same by keys
    <g class={words.join(' ')} data-node={nodeId} onClick={() => onChoose(nodeId)}>
      <title>{label || nodeId}</title>
      <rect x={x} y={y} width={size.width} height={size.height} rx="8" />
      {/* A picture in the picture shows nothing beyond its edges. */}
      <svg x={x} y={y} width={size.width - 4} height={size.height} aria-hidden="true">
        {lines.map((line, at) => (
          <text key={at} class="graph-label" x={12} y={(lines.length === 1 ? 28 : 22) + at * 17}>
            {line}
          </text>
        ))}
        <text class="graph-type" x={12} y={58}>
          {plainWords(nodeType)}
        </text>
        {standing === 0 ? null : (
          <text class="graph-count" x={12} y={77}>
            {[`${count(standing)} here`, ...waitsOf(stats)].join(' · ')}
          </text>
        )}
      </svg>
    </g>
  );
}

/** What those at a node wait for, most of them first: `budget used up 4`. */
export function waitsOf(stats: NodeStats | undefined): string[] {
  return Object.entries(stats?.waiting ?? {})
    .filter(([, many]) => many > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, many]) => `${waitWords(reason)} ${count(many)}`);
}
