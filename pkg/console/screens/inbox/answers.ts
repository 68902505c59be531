import { signal } from '@preact/signals';
import { call, type Output } from '../../api/call.ts';
import { Failure } from '../../api/http.ts';
import { here } from '../../app/address.ts';
import { decide, type SendOptions } from '../../app/outbox.ts';
import { keepTyped } from '../../app/typed.ts';
import { shortTime } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import type { Thread } from './inbox-types.ts';

/** What somebody writes, by conversation; it stays while they look at others, and until it is through. */
export const answers = signal<ReadonlyMap<string, string>>(new Map());

/** Keeps what was typed so far; '': nothing. */
export function keepAnswer(conversationId: string, text: string): void {
  const next = new Map(answers.value);
  if (text === '') next.delete(conversationId);
  else next.set(conversationId, text);
  answers.value = next;
}

keepTyped({
  any: () => [...answers.value.values()].some((text) => text.trim() !== ''),
  forget: () => {
    answers.value = new Map();
  },
});

export interface Answer {
  thread: Thread;
  workspaceId: string;
  body: string;
  isMail: boolean;
  timing: 'now' | 'paced';
  again: () => void;
}

/** The newest words of the other side, which who answers has read. */
function newestOf({ messages }: Thread) {
  return messages.find(({ direction }) => direction === 'in');
}

/** Why a conversation can not be answered; undefined: it can. */
export function unanswerable({ thread, isMail }: Pick<Answer, 'thread' | 'isMail'>): string | undefined {
  if (isMail && !newestOf(thread)) return 'They have not written by mail yet, so there is nothing to answer.';
  return undefined;
}

/** Sends an answer, after the time in which it may be taken back. A newer message of the other side stops it. */
export function sendAnswer(answer: Answer): void {
  const { conversationId, participant } = answer.thread.conversation;
  const label = participant.name || 'Somebody without a name';
  keepAnswer(conversationId, '');
  const putBack = (): void => {
    const typed = answers.value.get(conversationId) ?? '';
    keepAnswer(conversationId, typed === '' ? answer.body : `${answer.body}\n\n${typed}`);
  };
  decide({
    verb: 'Answer',
    past: 'answered',
    path: here.value('inbox', conversationId),
    onUndo: putBack,
    kept: 'Your text is where you wrote it.',
    onRefused: () => {
      putBack();
      answer.again();
    },
    steps: [
      {
        recordId: conversationId,
        label,
        send: async (within) => {
          tell(label, await send(answer, within));
          answer.again();
        },
      },
    ],
  });
}

type Sent = Output<'svc_send_message'> | Output<'svc_send_mail'>;

function send({ thread, workspaceId, body, isMail, timing }: Answer, within: SendOptions): Promise<Sent> {
  const { conversationId, networkAccountId } = thread.conversation;
  const newest = newestOf(thread);
  const expected = newest === undefined ? {} : { expectedLastMessageId: newest.messageId };
  if (!isMail) return call('svc_send_message', { workspaceId, conversationId, body, timing, ...expected }, within);
  const subject = newest?.subject ?? '';
  const input = {
    workspaceId,
    providerAccountId: networkAccountId,
    subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
    body,
    timing,
    ...(newest === undefined ? {} : { inReplyToMessageId: newest.messageId }),
    ...expected,
  };
  return call('svc_send_mail', input, within);
}

/** @throws Failure when nothing was sent, and nothing will be */
function tell(label: string, { status, scheduledFor, detail }: Sent): void {
  if (status === 'failed' || status === 'stopped') throw new Failure('refused', detail ?? 'It was not sent.');
  const when = scheduledFor === null ? '' : `, ${shortTime(scheduledFor)}`;
  if (status === 'done') say(`Sent to ${label}.`, { tone: 'good' });
  else if (status === 'unknown') say(`Nobody knows yet whether ${label} got it: ${detail ?? ''}`, { tone: 'bad' });
  else say(`On its way to ${label}${when}. ${detail ?? ''}`.trim());
}
