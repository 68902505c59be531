import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/call.ts';
import { may } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
import { Table } from '../../parts/table.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { count, counted } from '../../parts/words.ts';

type Answer = Output<'svc_run_signal_agent'>;

/** Tries an agent, which costs nothing and changes nothing, or runs it now, which asks first. */
export function AgentRun({ signalAgentId, onRun }: { signalAgentId: string; onRun: () => void }) {
  const [asks, setAsks] = useState(false);
  const [tried, setTried] = useState<Answer | undefined>(undefined);
  const trying = useDeed();
  const running = useDeed();
  if (!may('signals:write')) return null;
  const dryRun = (): void =>
    trying.run(async () => {
      setTried(await call('svc_run_signal_agent', { signalAgentId, dryRun: true }));
    });
  const run = (): void =>
    running.run(async (key) => {
      await call('svc_run_signal_agent', { signalAgentId }, { key });
      setAsks(false);
      setTried(undefined);
      say('The run begins within a minute; what it found stands here then.', { tone: 'good' });
      onRun();
    });
  return (
    <section class="part" aria-labelledby="run-title">
      <h2 id="run-title">Run it</h2>
      <p class="deeds">
        <button type="button" class="button" disabled={trying.busy} onClick={dryRun}>
          <Icon name="search" /> {trying.busy ? 'Trying…' : 'Dry run'}
        </button>
        <button type="button" class="button button-primary" onClick={() => setAsks(true)}>
          <Icon name="play" /> Run now
        </button>
      </p>
      <FailureLine failure={trying.failure} />
      <div role="status">{tried === undefined ? null : <Tried answer={tried} />}</div>
      {asks ? (
        <Ask
          title="Run this agent now?"
          verb="Run"
          deed={running}
          onYes={run}
          onClose={() => {
            running.clear();
            setAsks(false);
          }}
        >
          <p>
            It enrols who matches into its workflow, up to its limits of the day, and searches of the network cost
            credits.
          </p>
        </Ask>
      ) : null}
    </section>
  );
}

function Tried({ answer: { matched, wouldEnqueue } }: { answer: Answer }) {
  if (wouldEnqueue.length === 0)
    return <p class="hint">It would enrol nobody now. {counted(matched, 'signal')} matched its rules.</p>;
  return (
    <>
      <p>
        It would enrol {counted(wouldEnqueue.length, 'lead')} of {count(matched)} that match. Nothing was done or
        charged.
      </p>
      <Table
        label="Who would be enrolled"
        rows={wouldEnqueue}
        keyOf={({ signal }) => signal.signalId}
        columns={[
          { head: 'Lead', cell: ({ fullName }) => <bdi>{fullName || 'without a name'}</bdi> },
          { head: 'Company', minor: true, cell: ({ company }) => <bdi>{company}</bdi> },
          { head: 'Signal', cell: ({ signal }) => <bdi>{signal.title}</bdi> },
          { head: 'Score', align: 'right', cell: ({ score }) => count(score) },
        ]}
      />
    </>
  );
}
