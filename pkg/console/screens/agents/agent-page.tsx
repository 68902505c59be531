import type { ComponentChildren } from 'preact';
import type { Output } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { here } from '../../app/address.ts';
import { Diagnosis } from '../../parts/diagnosis.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Time } from '../../parts/time.tsx';
import { useSlowly } from '../../parts/use-slowly.ts';
import { WayBack } from '../../parts/way-back.tsx';
import { count, counted, plainWords, titleWords } from '../../parts/words.ts';
import { AgentLeads } from './agent-leads.tsx';
import { AgentRun } from './agent-run.tsx';
import { PauseAgent, StatusChip } from './agent-state.tsx';

type Agent = Output<'svc_get_signal_agent'>['signalAgent'];
type Stats = Output<'svc_get_signal_agent_stats'>['stats'];

/** One agent: its rules, what came of its signals, and a run or a try of it. */
export function AgentPage({ signalAgentId }: { signalAgentId: string }) {
  const agent = useTool('svc_get_signal_agent', { signalAgentId });
  const stats = useTool('svc_get_signal_agent_stats', { signalAgentId });
  useSlowly(agent, ['signal']);
  useSlowly(stats, ['signal', 'reply']);
  return (
    <>
      <WayBack href={here.value('agents')} to="Agents and watches" />
      <Loaded of={agent}>
        {({ signalAgent }) => (
          <>
            <ScreenHead title={signalAgent.name}>
              <StatusChip status={signalAgent.status} />
              <PauseAgent
                signalAgentId={signalAgentId}
                name={signalAgent.name}
                status={signalAgent.status}
                onChanged={() => agent.reload()}
              />
            </ScreenHead>
            <Rules agent={signalAgent} />
            <Diagnosis target="signal_agent" targetId={signalAgentId} again={signalAgent.status} />
            <LastRun run={signalAgent.lastRun} />
            <AgentRun
              signalAgentId={signalAgentId}
              onRun={() => {
                agent.reload();
                stats.reload();
              }}
            />
          </>
        )}
      </Loaded>
      <section class="part" aria-labelledby="outcomes-title">
        <h2 id="outcomes-title">What came of its signals</h2>
        <Loaded of={stats} lines={4}>
          {({ stats: numbers }) => <Outcomes stats={numbers} />}
        </Loaded>
      </section>
      <AgentLeads signalAgentId={signalAgentId} />
    </>
  );
}

function Rules({ agent }: { agent: Agent }) {
  const { signalTypes, criteria, minScore, dailyLeadLimit, dailyCreditLimit, schedule, judge, workflowId, nextRunAt } =
    agent;
  const wanted = Object.entries(criteria).filter(([, words]) => words.length > 0);
  const facts: [name: string, value: ComponentChildren][] = [
    ['Looks for', signalTypes.map(plainWords).join(', ')],
    ...wanted.map(([name, words]): [string, string] => [titleWords(name), words.join(', ')]),
    ...(judge === null ? [] : ([['And it must be true that', judge]] as [string, string][])),
    ...(minScore === null ? [] : ([['Score at least', count(minScore)]] as [string, string][])),
    [
      'A day at most',
      counted(dailyLeadLimit, 'lead') + (dailyCreditLimit === null ? '' : `, ${counted(dailyCreditLimit, 'credit')}`),
    ],
    ['Runs', schedule],
  ];
  return (
    <dl class="fact-row">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
      {workflowId === null ? null : (
        <div>
          <dt>Enrols into</dt>
          <dd>
            <a href={here.value('workflows', workflowId)}>this workflow</a>
          </dd>
        </div>
      )}
      {nextRunAt === null ? null : (
        <div>
          <dt>Next run</dt>
          <dd>
            <Time at={nextRunAt} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function LastRun({ run }: { run: Agent['lastRun'] }) {
  if (run === null) return <p class="hint">It never ran.</p>;
  const results = Object.entries(run.result).filter(([, value]) => typeof value === 'number' && value > 0);
  return (
    <p class="small soft">
      Last run: {plainWords(run.status)}
      {run.finishedAt === null ? null : (
        <>
          {' '}
          <Time at={run.finishedAt} />
        </>
      )}
      {results.map(([name, value]) => ` · ${wordsOf(name)} ${count(value as number)}`).join('')}
      {run.error === null ? null : <span class="failure"> {run.error}</span>}
    </p>
  );
}

/** `belowScore` gives `below score`. */
const wordsOf = (name: string): string => name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);

const SHOWN: readonly (readonly [keyof Stats, string])[] = [
  ['signalsSeen', 'signals seen'],
  ['matched', 'matched'],
  ['enqueued', 'enrolled'],
  ['replied', 'replied'],
  ['positive', 'positive'],
  ['creditsSpent', 'credits spent'],
];
const LEFT_OUT: readonly (readonly [keyof Stats, string])[] = [
  ['noLead', 'nobody known'],
  ['selfCaused', 'caused by ourselves'],
  ['notMatched', 'not matched'],
  ['expired', 'expired'],
  ['excluded', 'excluded'],
  ['duplicates', 'seen before'],
  ['contacted', 'contacted already'],
  ['belowScore', 'below the score'],
  ['limited', 'beyond the limit'],
  ['skippedWhilePaused', 'too old after a pause'],
];

function Outcomes({ stats }: { stats: Stats }) {
  const left = LEFT_OUT.filter(([name]) => stats[name] > 0);
  return (
    <>
      <dl class="numbers">
        {SHOWN.map(([name, words]) => (
          <div key={name}>
            <dt>{words}</dt>
            <dd>{count(stats[name])}</dd>
          </div>
        ))}
      </dl>
      {left.length === 0 ? null : (
        <p class="small soft">Left out: {left.map(([name, words]) => `${words} ${count(stats[name])}`).join(' · ')}</p>
      )}
    </>
  );
}
