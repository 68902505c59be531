import { usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { workspace } from '../../app/session.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Time } from '../../parts/time.tsx';
import { counted, plainWords } from '../../parts/words.ts';
import { PauseAgent, StatusChip } from './agent-state.tsx';

/** All signal agents. */
export function AgentList() {
  const { workspaceId = '' } = workspace.value ?? {};
  const agents = usePages(
    'svc_list_signal_agents',
    { workspaceId, limit: 50, detail: 'full' },
    (answer) => answer.signalAgents,
  );
  return (
    <Loaded
      of={agents.resource}
      empty={{
        when: ({ items }) => items.length === 0,
        show: (
          <Empty icon="agents" title="No agent yet">
            <p>
              An agent looks out for signals and enrols who fits. Ask your assistant, or call svc_create_signal_agent.
            </p>
          </Empty>
        ),
      }}
    >
      {({ items }) => (
        <>
          <ul class="entries">
            {items.map((agent) => {
              const {
                signalAgentId,
                name = '',
                status = 'paused',
                signalTypes = [],
                nextRunAt,
                enqueuedYesterday,
              } = agent;
              return (
                <li key={signalAgentId} class="entry">
                  <div class="entry-main">
                    <h2 class="entry-title">
                      <a href={here.value('agents', `of/${signalAgentId}`)}>
                        <bdi>{name}</bdi>
                      </a>
                    </h2>
                    <p class="small soft">
                      {signalTypes.map(plainWords).join(', ')} · {counted(enqueuedYesterday, 'lead')} yesterday
                      {nextRunAt && status === 'active' ? (
                        <>
                          {' '}
                          · next run <Time at={nextRunAt} />
                        </>
                      ) : null}
                    </p>
                  </div>
                  <div class="entry-side">
                    <StatusChip status={status} />
                    <PauseAgent
                      signalAgentId={signalAgentId}
                      name={name}
                      status={status}
                      onChanged={() => agents.resource.reload()}
                    />
                  </div>
                </li>
              );
            })}
          </ul>
          <More of={agents} />
        </>
      )}
    </Loaded>
  );
}
