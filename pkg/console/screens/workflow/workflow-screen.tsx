import { usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { workspace } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Time } from '../../parts/time.tsx';
import { counted } from '../../parts/words.ts';
import { WorkflowPage } from './workflow-page.tsx';
import '../outreach.css';
import './workflow.css';

/** Workflows: `workflows` all of them, `workflows/<id>` one as a picture with who stands where, `workflows/<id>/<node>` who stands there. */
export default function WorkflowScreen({ rest }: ScreenProps) {
  const [workflowId = '', nodeId] = rest.split('/');
  if (workflowId === '') return <WorkflowList />;
  return <WorkflowPage key={workflowId} workflowId={workflowId} nodeId={nodeId} />;
}

function WorkflowList() {
  const { workspaceId = '' } = workspace.value ?? {};
  const workflows = usePages('svc_list_workflows', { workspaceId, limit: 50 }, (answer) => answer.workflows);
  return (
    <>
      <ScreenHead title="Workflows" />
      <Loaded
        of={workflows.resource}
        empty={{
          when: ({ items }) => items.length === 0,
          show: (
            <Empty icon="workflow" title="No workflow yet">
              <p>Ask your assistant to create one in a campaign, or call svc_create_workflow.</p>
            </Empty>
          ),
        }}
      >
        {({ items }) => (
          <>
            <ul class="entries">
              {items.map(({ workflowId, name, enabled, liveRuns, nodeCount, updatedAt }) => (
                <li key={workflowId} class="entry">
                  <div class="entry-main">
                    <h2 class="entry-title">
                      <a href={here.value('workflows', workflowId)}>
                        <bdi>{name}</bdi>
                      </a>
                    </h2>
                    <p class="small soft">
                      {counted(liveRuns, 'lead under way', 'leads under way')} · {counted(nodeCount, 'step')} · changed{' '}
                      <Time at={updatedAt} />
                    </p>
                  </div>
                  <div class="entry-side">
                    <Chip tone={enabled ? 'good' : 'plain'}>{enabled ? 'on' : 'off'}</Chip>
                  </div>
                </li>
              ))}
            </ul>
            <More of={workflows} />
          </>
        )}
      </Loaded>
    </>
  );
}
