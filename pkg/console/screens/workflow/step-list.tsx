import { count, counted, plainWords } from '../../parts/words.ts';
import { waitsOf } from './picture-view.tsx';
import { type NodeStats, type Picture, waysOf } from './read-picture.ts';

interface Props {
  picture: Picture;
  nodes: readonly NodeStats[];
  chosen: string | undefined;
  onChoose: (nodeId: string) => void;
}

/** The same as the picture in words: each step, who is there and why, and where it leads. Steps of older versions come last. */
export function StepList({ picture, nodes, chosen, onChoose }: Props) {
  const stats = new Map(nodes.map((node) => [node.nodeId, node]));
  const older = nodes.filter(({ nodeId }) => !picture.nodes.some((node) => node.nodeId === nodeId));
  const steps = [...picture.nodes, ...older];
  return (
    <ol class="steps" aria-label="Steps of the workflow">
      {steps.map(({ nodeId, nodeType, label }) => {
        const here = stats.get(nodeId);
        const standing = here?.standing ?? 0;
        const waits = waitsOf(here);
        return (
          <li key={nodeId} class="step">
            <button
              type="button"
              class="step-name"
              aria-pressed={nodeId === chosen}
              data-step={nodeId}
              onClick={() => onChoose(nodeId)}
            >
              <span class="step-label">
                <bdi>{label || nodeId}</bdi>
              </span>
              <span class={standing > 0 ? 'step-count step-busy' : 'step-count'}>
                {counted(standing, 'lead here', 'leads here')}
              </span>
            </button>
            <p class="small soft">
              {[
                plainWords(nodeType),
                `${count(here?.entered ?? 0)} came`,
                ...waits,
                ...(older.includes(here as NodeStats) ? ['of an older version'] : []),
              ].join(' · ')}
            </p>
            <Ways picture={picture} nodeId={nodeId} outcomes={here?.outcomes ?? {}} />
          </li>
        );
      })}
    </ol>
  );
}

function Ways({
  picture,
  nodeId,
  outcomes,
}: {
  picture: Picture;
  nodeId: string;
  outcomes: Readonly<Record<string, number>>;
}) {
  const ways = waysOf(picture, nodeId);
  if (ways.length === 0) return <p class="small soft">ends here</p>;
  return (
    <ul class="ways">
      {ways.map(({ branch, to, toId }) => (
        <li key={`${branch} ${toId}`}>
          {branch === null ? '' : `${plainWords(branch)} `}
          <span aria-hidden="true">→ </span>
          <span class="unseen">leads to </span>
          <bdi>{to}</bdi>
          {branch !== null && outcomes[branch] !== undefined ? ` (${count(outcomes[branch])})` : ''}
        </li>
      ))}
    </ul>
  );
}
