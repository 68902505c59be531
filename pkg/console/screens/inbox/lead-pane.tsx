import { useSignal } from '@preact/signals';
import { call, type Output } from '../../api/call.ts';
import { failureOf } from '../../api/http.ts';
import { type Resource, useTool } from '../../api/resource.ts';
import { may, workspace } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { TextArea } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Lead, LeadCard } from '../../parts/lead/lead-card.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { plainWords } from '../../parts/words.ts';

type Run = Output<'svc_list_workflow_runs'>['runs'][number];

/** Who the other side is, what the workflows do with them, and what colleagues should know. */
export function LeadPane({ leadId, conversationId }: { leadId: string | null; conversationId: string }) {
  if (leadId === null)
    return <p class="soft small">Nobody's lead: they wrote first, or another workspace wrote to them.</p>;
  if (!may('leads:read')) return null;
  return <KnownLead leadId={leadId} conversationId={conversationId} />;
}

function KnownLead({ leadId, conversationId }: { leadId: string; conversationId: string }) {
  const workspaceId = workspace.value?.workspaceId ?? '';
  const lead = useTool('svc_get_lead', { leadId, workspaceId }, { on: ['lead'] });
  return (
    <Loaded of={lead} lines={6}>
      {({ lead: known }) => (
        <>
          <LeadCard lead={known} />
          {may('workflows:read') ? <Runs lead={known} workspaceId={workspaceId} /> : null}
          <Notes lead={known} conversationId={conversationId} workspaceId={workspaceId} again={lead.reload} />
        </>
      )}
    </Loaded>
  );
}

const OPEN: readonly string[] = ['queued', 'waiting', 'in_review', 'blocked'];

/** What workflows do with the lead; a person may take over, and give back. */
function Runs({ lead, workspaceId }: { lead: Lead; workspaceId: string }) {
  const runs = useTool(
    'svc_list_workflow_runs',
    { leadId: lead.leadId, workspaceId, detail: 'full', limit: 10 },
    { on: ['run', 'review', 'reply'] },
  );
  return (
    <section class="side-part">
      <h3>Workflows</h3>
      <Loaded
        of={runs}
        lines={2}
        empty={{ when: (read) => read.runs.length === 0, show: <p class="soft small">None has written to them.</p> }}
      >
        {(read) => (
          <ul class="stack">
            {read.runs.map((run) => (
              <RunLine key={run.runId} run={run} zone={lead.timezone} again={runs} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function RunLine({ run, zone, again }: { run: Run; zone: string | null; again: Resource<unknown> }) {
  const { runId, state = '', workflowName, waitReason, nextActionAt, endReason } = run;
  const isOpen = OPEN.includes(state);
  const control = async (action: 'pause' | 'resume' | 'stop', done: string): Promise<void> => {
    try {
      const { changed, unchanged } = await call('svc_control_workflow_runs', {
        runIds: [runId],
        action,
        reason: 'a person took over in the inbox',
      });
      say(changed > 0 ? done : (unchanged[0]?.message ?? 'Nothing changed.'), { tone: changed > 0 ? 'good' : 'bad' });
    } catch (error) {
      say(failureOf(error).message, { tone: 'bad' });
    }
    again.reload();
  };
  return (
    <li class="run">
      <p>
        <strong>{workflowName || 'Workflow'}</strong>{' '}
        <Chip tone={isOpen ? 'accent' : 'plain'}>{plainWords(state)}</Chip>
      </p>
      <p class="soft small">
        {isOpen ? (waitReason ?? '') : (endReason ?? '')}
        {isOpen && nextActionAt ? (
          <>
            {waitReason ? ' · ' : ''}next <Time at={nextActionAt} zone={zone} />
          </>
        ) : null}
      </p>
      {may('workflows:write') && (isOpen || state === 'paused') ? (
        <p class="row">
          {isOpen ? (
            <button
              type="button"
              class="button button-small"
              onClick={() => void control('pause', 'Paused: you have this conversation.')}
            >
              <Icon name="hand" size={16} /> Take over
            </button>
          ) : (
            <button
              type="button"
              class="button button-small"
              onClick={() => void control('resume', 'The workflow goes on.')}
            >
              <Icon name="play" size={16} /> Give back
            </button>
          )}
          <button
            type="button"
            class="button button-small button-quiet"
            onClick={() => void control('stop', 'Stopped for this lead.')}
          >
            Stop for good
          </button>
        </p>
      ) : null}
    </li>
  );
}

/** What colleagues leave for each other at the lead. */
function Notes({
  lead,
  conversationId,
  workspaceId,
  again,
}: {
  lead: Lead;
  conversationId: string;
  workspaceId: string;
  again: () => void;
}) {
  const text = useSignal('');
  const deed = useDeed();
  const add = (event: Event): void => {
    event.preventDefault();
    if (text.value.trim() === '') return;
    deed.run(async () => {
      await call('svc_upsert_lead', { workspaceId, leadId: lead.leadId, note: text.value.trim() });
      text.value = '';
      again();
    });
  };
  const copy = (): void => {
    navigator.clipboard
      .writeText(location.href)
      .then(() => say('The link to this conversation is copied.', { tone: 'good' }))
      .catch(() => say(location.href, { stays: null }));
  };
  return (
    <section class="side-part" key={conversationId}>
      <h3>Notes for colleagues</h3>
      <ul class="stack">
        {lead.notes.map((note) => (
          <li key={note.noteId}>
            <p class="soft small">
              {note.author}, <Time at={note.at} />
            </p>
            <p class="pre">{note.text}</p>
          </li>
        ))}
      </ul>
      {may('leads:write') ? (
        <form class="stack" onSubmit={add}>
          <TextArea
            label="A note"
            quiet
            placeholder="What the next one should know"
            rows={2}
            maxLength={4_000}
            value={text.value}
            onValue={(value) => {
              text.value = value;
            }}
          />
          <FailureLine failure={deed.failure} />
          <p class="row">
            <button type="submit" class="button button-small" disabled={deed.busy || text.value.trim() === ''}>
              Leave the note
            </button>
            <button type="button" class="button button-small button-quiet" onClick={copy}>
              <Icon name="link" size={16} /> Copy the link
            </button>
          </p>
        </form>
      ) : null}
    </section>
  );
}
