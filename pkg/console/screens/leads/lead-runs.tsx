import { call, type Input, type Output } from '../../api/call.ts';
import { type Resource, useTool } from '../../api/resource.ts';
import { may, workspace } from '../../app/session.ts';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { type Deed, useDeed } from '../../parts/use-deed.ts';
import { plainWords, waitWords } from '../../parts/words.ts';

type Answer = Output<'svc_list_workflow_runs'>;
type Run = Answer['runs'][number];
type Control = Input<'svc_control_workflow_runs'>['action'];

/** Workflows in which a person is, or was: where they stand, what they wait for, and when it goes on. */
export function LeadRuns({ leadId, zone }: { leadId: string; zone: string | null }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const runs = useTool(
    'svc_list_workflow_runs',
    { workspaceId, leadId, detail: 'full', limit: 20 },
    { on: ['run', 'review', 'message', 'reply', 'send'] },
  );
  return (
    <Section title="In workflows">
      <Loaded
        of={runs}
        lines={2}
        empty={{ when: (answer) => answer.runs.length === 0, show: <p class="soft">In no workflow so far.</p> }}
      >
        {(answer) => (
          <ul class="stack">
            {answer.runs.map((run) => (
              <RunLine key={run.runId} run={run} zone={zone} resource={runs} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  queued: 'accent',
  waiting: 'accent',
  in_review: 'warn',
  blocked: 'warn',
  paused: 'warn',
  replied: 'good',
  completed: 'good',
  failed: 'bad',
};

function RunLine({ run, zone, resource }: { run: Run; zone: string | null; resource: Resource<Answer> }) {
  const { state = '', workflowName, campaignTitle, currentNodeId, waitReason, nextActionAt, endedAt, endReason } = run;
  const deed = useDeed();
  return (
    <li class="lead-run">
      <p class="row">
        <strong>
          <bdi>{workflowName || 'A workflow that is gone'}</bdi>
        </strong>
        <Chip tone={TONES[state] ?? 'plain'}>{plainWords(state)}</Chip>
        {campaignTitle ? (
          <span class="soft">
            <bdi>{campaignTitle}</bdi>
          </span>
        ) : null}
      </p>
      {endedAt ? (
        <p class="soft">
          Ended <Time at={endedAt} zone={zone} />
          {endReason ? (
            <>
              {': '}
              <bdi>{plainWords(endReason)}</bdi>
            </>
          ) : null}
        </p>
      ) : (
        <p>
          At step <code>{currentNodeId ?? 'the beginning'}</code>
          {waitReason ? `, ${waitWords(waitReason)}` : ''}
          {nextActionAt ? (
            <>
              {', looked at again '}
              <Time at={nextActionAt} zone={zone} />
            </>
          ) : null}
        </p>
      )}
      {endedAt || !may('workflows:write') ? null : <RunDeeds run={run} deed={deed} resource={resource} />}
      <FailureLine failure={deed.failure} />
    </li>
  );
}

/** Holds a run, lets it go on, or ends it. */
function RunDeeds({ run, deed, resource }: { run: Run; deed: Deed; resource: Resource<Answer> }) {
  const control = (action: Control): void =>
    deed.run(async () => {
      const { unchanged } = await call('svc_control_workflow_runs', { runIds: [run.runId], action });
      const [problem] = unchanged;
      if (problem) say(problem.message, { tone: 'bad' });
      resource.reload();
    });
  const isHeld = run.state === 'paused';
  return (
    <p class="row">
      <button
        type="button"
        class="button button-small"
        disabled={deed.busy}
        onClick={() => control(isHeld ? 'resume' : 'pause')}
      >
        {isHeld ? 'Resume' : 'Pause'}
      </button>
      <button
        type="button"
        class="button button-small button-danger"
        disabled={deed.busy}
        onClick={() => control('stop')}
      >
        Stop
      </button>
    </p>
  );
}
