import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { may } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Diagnosis } from '../../parts/diagnosis.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { counted } from '../../parts/words.ts';
import { Forecast } from './forecast.tsx';

type Campaign = Output<'svc_get_campaign'>['campaign'];
type WorkflowRow = Output<'svc_list_workflows'>['workflows'][number];

/** The workflows of a campaign; of each why it sends nothing, and what is to be expected of it. */
export function CampaignWorkflows({ campaign }: { campaign: Campaign }) {
  const { campaignId } = campaign;
  const workflows = usePages('svc_list_workflows', { campaignId }, (answer) => answer.workflows);
  return (
    <section class="part" aria-labelledby="workflows-title">
      <h2 id="workflows-title">What it does, and what holds it up</h2>
      <Loaded
        of={workflows.resource}
        empty={{
          when: ({ items }) => items.length === 0,
          show: (
            <Empty icon="workflow" title="No workflow yet">
              <p>Without one nobody is written to. Ask your assistant to create one, or call svc_create_workflow.</p>
            </Empty>
          ),
        }}
      >
        {({ items }) => (
          <>
            {items.map((workflow) => (
              <WorkflowCard
                key={workflow.workflowId}
                workflow={workflow}
                campaign={campaign}
                onChanged={() => workflows.resource.reload()}
              />
            ))}
            <More of={workflows} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function WorkflowCard({
  workflow,
  campaign,
  onChanged,
}: {
  workflow: WorkflowRow;
  campaign: Campaign;
  onChanged: () => void;
}) {
  const { workflowId, name, enabled, liveRuns, nodeCount } = workflow;
  return (
    <article class="card card-body" aria-label={name}>
      <header class="card-head">
        <h3>
          <a href={here.value('workflows', workflowId)}>
            <bdi>{name}</bdi>
          </a>
        </h3>
        <Chip tone={enabled ? 'good' : 'plain'}>{enabled ? 'on' : 'off'}</Chip>
        <SwitchWorkflow workflow={workflow} onChanged={onChanged} />
      </header>
      <p class="small soft">
        {counted(liveRuns, 'lead under way', 'leads under way')} · {counted(nodeCount, 'step')} ·{' '}
        <a href={here.value('workflows', workflowId)}>picture and leads by step</a>
      </p>
      <Diagnosis target="workflow" targetId={workflowId} again={`${campaign.status} ${enabled}`} />
      <Forecast workflowId={workflowId} name={name} leads={campaign.counts.leadsInPool} />
    </article>
  );
}

/** Switches a workflow on, which asks first, and off, which does not. */
function SwitchWorkflow({
  workflow,
  onChanged,
}: {
  workflow: Pick<WorkflowRow, 'workflowId' | 'name' | 'enabled'>;
  onChanged: () => void;
}) {
  const [asks, setAsks] = useState(false);
  const deed = useDeed();
  const { workflowId, name, enabled } = workflow;
  if (!may('workflows:write')) return null;
  const change = (): void =>
    deed.run(async () => {
      await call('svc_update_workflow_status', { workflowId, enabled: !enabled });
      setAsks(false);
      say(enabled ? `${name} is off: its leads keep their place.` : `${name} is on.`, { tone: 'good' });
      onChanged();
    });
  return (
    <>
      <button type="button" class="button button-small" onClick={() => setAsks(true)}>
        Switch {enabled ? 'off' : 'on'}
        <span class="unseen"> {name}</span>
      </button>
      {asks ? (
        <Ask
          title={`Switch this workflow ${enabled ? 'off' : 'on'}?`}
          verb={enabled ? 'Switch off' : 'Switch on'}
          deed={deed}
          onYes={change}
          onClose={() => {
            deed.clear();
            setAsks(false);
          }}
        >
          <p class="quoted">
            <bdi>{name}</bdi>
          </p>
          <p>
            {enabled
              ? 'It does nothing more from now on; its leads keep their place.'
              : 'It writes to people as soon as its campaign runs, within budgets and hours.'}
          </p>
        </Ask>
      ) : null}
    </>
  );
}
