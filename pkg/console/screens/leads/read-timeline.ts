import { call } from '../../api/call.ts';
import type { IconName } from '../../parts/icon.tsx';
import { plainWords, titleWords } from '../../parts/words.ts';
import type { LeadAnswer } from './lead-types.ts';

/** Something that happened with a person. */
export interface Moment {
  key: string;
  at: string;
  icon: IconName;
  title: string;
  /** Text of others, or of ours: shown as it is. */
  text: string;
  /** Who or what did it. */
  by: string;
  /** It stands out: it came from the person. */
  theirs?: true;
}

interface Timeline {
  moments: Moment[];
  /** What is not shown for want of a right, or because there is too much of it. */
  gaps: string[];
}

/** Runs and conversations of which all is read; of more there are only the newest. */
const MOST_RUNS = 5;
const MOST_CONVERSATIONS = 3;
const MOST_MESSAGES = 50;

interface Reading {
  workspaceId: string;
  leadId: string;
  conversationIds: readonly string[];
  may: (scope: string) => boolean;
  signal: AbortSignal;
}

/** Gathers what happened with a person from what tools tell of runs, conversations and signals. */
export async function readTimeline(reading: Reading): Promise<Timeline> {
  const parts = await Promise.all([
    reading.may('workflows:read') ? fromRuns(reading) : lacking('what workflows did'),
    reading.may('inbox:read') ? fromConversations(reading) : lacking('messages'),
    reading.may('signals:read') ? fromSignals(reading) : lacking('signals'),
  ]);
  const written = new Set(parts[1].moments.map(({ text }) => text.trim()));
  // What somebody wrote stands there once: a workflow that heard it tells the same.
  const heard = ({ theirs, text }: Moment): boolean => theirs === true && written.has(text.trim());
  const runs = parts[0].moments.filter((moment) => !heard(moment));
  // Of the same moment the later comes first, as everywhere here.
  const moments = [...runs.reverse(), ...parts[1].moments, ...parts[2].moments];
  return { moments, gaps: parts.flatMap((part) => part.gaps) };
}

/** What was read and what the record itself tells, the newest first. */
export function withRecord(moments: readonly Moment[], answer: LeadAnswer): Moment[] {
  return [...moments, ...ofRecord(answer)].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

const lacking = (what: string): Timeline => ({ moments: [], gaps: [`You may not see ${what} here.`] });

function ofRecord({ lead }: LeadAnswer): Moment[] {
  const [first] = lead.provenance;
  const created: Moment = {
    key: 'created',
    at: lead.createdAt,
    icon: 'plus',
    title: lead.visibility === 'private' ? 'Brought into the workspace' : 'In the shared pool',
    text: '',
    by: first ? `from ${first.source}` : '',
  };
  const { enrichedAt } = lead.enrichment;
  return [
    created,
    ...(enrichedAt === null
      ? []
      : [{ key: 'enriched', at: enrichedAt, icon: 'spark' as const, title: 'Enriched', text: '', by: '' }]),
    ...lead.notes.map(
      ({ noteId, text, author, at }): Moment => ({ key: noteId, at, icon: 'edit', title: 'Note', text, by: author }),
    ),
  ];
}

async function fromRuns({ workspaceId, leadId, signal }: Reading): Promise<Timeline> {
  const list = { workspaceId, leadId, fields: ['workflowName'], limit: MOST_RUNS };
  const { runs, nextCursor } = await call('svc_list_workflow_runs', list, { signal });
  const read = await Promise.all(runs.map(({ runId }) => call('svc_get_workflow_run', { runId }, { signal })));
  const moments = read.flatMap(({ run, timeline }) =>
    timeline.map(
      ({ at, kind, nodeId, actor, text }, place): Moment => ({
        key: `${run.runId}/${place}`,
        at,
        icon: ICONS[kind] ?? 'workflow',
        title: titleOf(kind, nodeId),
        text,
        by: [run.workflowName, PROGRAMS.has(actor) ? '' : actor].filter(Boolean).join(', '),
        ...(kind === 'reply.received' ? { theirs: true as const } : {}),
      }),
    ),
  );
  const gaps = nextCursor === null ? [] : [`Of more than ${MOST_RUNS} workflows the newest are shown.`];
  return { moments, gaps };
}

/** Who did it where no person did. */
const PROGRAMS: ReadonlySet<string> = new Set(['', 'engine', 'system', 'executor', 'trigger', 'lead']);

const ICONS: Readonly<Record<string, IconName>> = {
  'run.started': 'play',
  'run.blocked': 'warning',
  'run.failed': 'warning',
  'run.completed': 'check',
  'review.pending': 'review',
  'review.decided': 'review',
  'review.expired': 'clock',
  'message.sent': 'send',
  'message.failed': 'warning',
  'connection.requested': 'person',
  'connection.accepted': 'check',
  'reply.received': 'inbox',
  'unsubscribe.received': 'hand',
  'mail.bounced': 'mail',
};

/** `run.step_done` at `hello` gives `Step done: hello`. */
function titleOf(kind: string, nodeId: string | null): string {
  const [, what = kind] = kind.split('.');
  const [thing = ''] = kind.split('.');
  const words = thing === 'run' ? titleWords(what) : titleWords(`${thing}_${what}`);
  return nodeId === null || nodeId === '' ? words : `${words}: ${nodeId}`;
}

async function fromConversations({ conversationIds, signal }: Reading): Promise<Timeline> {
  const ids = conversationIds.slice(0, MOST_CONVERSATIONS);
  const read = await Promise.all(
    ids.map((conversationId) => call('svc_list_messages', { conversationId, limit: MOST_MESSAGES }, { signal })),
  );
  const moments = read.flatMap(({ conversation, messages }) =>
    messages.map(
      ({ messageId, direction, subject, body, sentAt, status, via }): Moment => ({
        key: messageId,
        at: sentAt,
        icon: direction === 'in' ? 'inbox' : 'send',
        title: direction === 'in' ? 'They wrote' : status === 'sent' ? 'We wrote' : `We wrote (${plainWords(status)})`,
        text: [subject, body].filter(Boolean).join('\n'),
        by: direction === 'in' ? conversation.participant.name : plainWords(via),
        ...(direction === 'in' ? { theirs: true as const } : {}),
      }),
    ),
  );
  const cut = conversationIds.length > ids.length || read.some((one) => one.nextCursor !== null);
  return { moments, gaps: cut ? ['Older messages are in the inbox.'] : [] };
}

async function fromSignals({ workspaceId, leadId, signal }: Reading): Promise<Timeline> {
  const asked = { workspaceId, leadId, includeExpired: true, detail: 'full' as const, limit: 50 };
  const { signals } = await call('svc_list_signals', asked, { signal });
  const moments = signals.map(
    ({ signalId, type = 'signal', title = '', detectedAt, occurredAt, evidence = [] }): Moment => ({
      key: signalId,
      at: occurredAt ?? detectedAt ?? '',
      icon: 'agents',
      title: titleWords(type),
      text: [title, evidence[0]?.excerpt].filter(Boolean).join('\n'),
      by: '',
    }),
  );
  return { moments, gaps: [] };
}
