import { useEffect } from 'preact/hooks';
import { here, useGo } from '../../app/address.ts';
import { Chip } from '../../parts/chip.tsx';
import { Diagnosis } from '../../parts/diagnosis.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { WayBack } from '../../parts/way-back.tsx';
import { counted, plainWords, waitWords } from '../../parts/words.ts';
import { LeadsHere } from './leads-here.tsx';
import { PictureView } from './picture-view.tsx';
import { usePicture, useStats } from './read-picture.ts';
import { StepList } from './step-list.tsx';

/** One workflow: its picture and the list that says the same, with who stands where. */
export function WorkflowPage({ workflowId, nodeId }: { workflowId: string; nodeId: string | undefined }) {
  const go = useGo();
  const picture = usePicture(workflowId);
  const stats = useStats(workflowId);
  const choose = (chosen: string | undefined): void =>
    go('workflows', chosen === undefined ? workflowId : `${workflowId}/${chosen}`, { replace: true });
  // Who chose a step wants to read who is there.
  useEffect(() => {
    if (nodeId !== undefined) document.getElementById('leads-title')?.focus();
  }, [nodeId]);
  const close = (): void => {
    const step = document.querySelector<HTMLElement>(`[data-step="${CSS.escape(nodeId ?? '')}"]`);
    choose(undefined);
    step?.focus();
  };
  return (
    <>
      <WayBack href={here.value('workflows')} to="Workflows" />
      <Loaded of={picture} lines={8}>
        {(drawn) => (
          <>
            <ScreenHead title={drawn.name}>
              <Chip tone={drawn.enabled ? 'good' : 'plain'}>{drawn.enabled ? 'on' : 'off'}</Chip>
              <a class="button button-small" href={here.value('campaigns', drawn.campaignId)}>
                Its campaign
              </a>
            </ScreenHead>
            <Loaded of={stats} lines={2}>
              {({ totals, waiting }) => <Totals totals={totals} waiting={waiting} />}
            </Loaded>
            <Diagnosis target="workflow" targetId={workflowId} again={`${drawn.enabled} ${drawn.graphVersion}`} />
            <div class="workflow-sides">
              <PictureView
                picture={drawn}
                stats={new Map((stats.state.value.data?.nodes ?? []).map((node) => [node.nodeId, node]))}
                chosen={nodeId}
                onChoose={choose}
              />
              <StepList picture={drawn} nodes={stats.state.value.data?.nodes ?? []} chosen={nodeId} onChoose={choose} />
            </div>
            {nodeId === undefined ? null : (
              <LeadsHere
                key={nodeId}
                workflowId={workflowId}
                nodeId={nodeId}
                label={
                  [...drawn.nodes, ...(stats.state.value.data?.nodes ?? [])].find((node) => node.nodeId === nodeId)
                    ?.label || nodeId
                }
                onClose={close}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** How all leads stand, and what they wait for. */
function Totals({
  totals,
  waiting,
}: {
  totals: Readonly<Record<string, number>>;
  waiting: Readonly<Record<string, number>>;
}) {
  const states = Object.entries(totals).filter(([, many]) => many > 0);
  const reasons = Object.entries(waiting).filter(([, many]) => many > 0);
  if (states.length === 0) return <p class="hint">Nobody was enrolled yet.</p>;
  return (
    <p class="totals">
      {states.map(([state, many]) => (
        <Chip key={state}>
          {plainWords(state)} {many}
        </Chip>
      ))}
      {reasons.map(([reason, many]) => (
        <Chip key={reason} tone="warn" title={`${counted(many, 'lead')}: ${waitWords(reason)}`}>
          {waitWords(reason)} {many}
        </Chip>
      ))}
    </p>
  );
}
