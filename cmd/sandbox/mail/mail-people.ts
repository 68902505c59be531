import { z } from 'zod';
import { hashFloat } from '../../../pkg/domain/random.ts';
import type { World } from '../world.ts';
import { fileMail, headerOf } from './mail-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What becomes of a mail to an address; times are ms of product time. */
export interface MailBehaviour {
  /** `refused`: the server says so at once. `hard`, `soft`: a report comes back later. */
  bounce: 'none' | 'refused' | 'hard' | 'soft';
  /** What the person answers; empty: nothing. */
  replyText: string;
  replyAfterMs: number;
  /** Answers from this address instead. */
  replyFrom: string;
  /** Answers in a new mail that names none of ours. */
  newThread: boolean;
  /** A machine answers at once. */
  autoReply: string;
  complains: boolean;
}

export const mailBehaviourSchema = z
  .strictObject({
    bounce: z.enum(['none', 'refused', 'hard', 'soft']),
    replyText: z.string().max(8_000),
    replyAfterMs: z.number().int().min(0),
    replyFrom: z.string().max(300),
    newThread: z.boolean(),
    autoReply: z.string().max(8_000),
    complains: z.boolean(),
  })
  .partial();

const REPLIES = ['Sounds good, tell me more.', 'Not interested, thanks.', 'Please unsubscribe me.', 'Maybe later.'];

/** The same for the same seed and address, unless it was told. */
export function mailBehaviour(world: World, address: string): MailBehaviour {
  const draw = (what: string): number => hashFloat(world.seed, 'mail', address, what);
  const told = world.store.one<{ behaviour: string }>('select behaviour from mail_person where address = ?', address);
  return {
    bounce: draw('bounce') < 0.02 ? 'hard' : 'none',
    replyText: draw('reply') < 0.15 ? (REPLIES[Math.floor(draw('text') * REPLIES.length)] ?? '') : '',
    replyAfterMs: Math.round(10 * MINUTE + draw('delay') ** 2 * 48 * HOUR),
    replyFrom: '',
    newThread: false,
    autoReply: '',
    complains: draw('complains') < 0.0005,
    ...(told ? (JSON.parse(told.behaviour) as Partial<MailBehaviour>) : {}),
  };
}

export function setMailBehaviour(world: World, address: string, behaviour: Partial<MailBehaviour>): void {
  world.store.run(
    'insert or replace into mail_person (address, behaviour) values (?, ?)',
    address.toLowerCase(),
    JSON.stringify(behaviour),
  );
}

/** What comes back for a mail that was taken. */
const answerSchema = z.object({
  mailbox: z.string(),
  from: z.string(),
  subject: z.string(),
  messageId: z.string(),
  kind: z.enum(['hard', 'soft', 'complaint', 'auto', 'reply']),
  text: z.string(),
  newThread: z.boolean(),
});
type Answer = z.infer<typeof answerSchema>;

/** Plans what the recipient and their server do about a mail. */
export function planAnswers(world: World, mailbox: string, to: string, raw: string): void {
  const behaviour = mailBehaviour(world, to);
  const common = { mailbox, from: to, subject: headerOf(raw, 'subject'), messageId: headerOf(raw, 'message-id') };
  const plan = (afterMs: number, kind: Answer['kind'], text = '', more: Partial<Answer> = {}): void =>
    world.plan(world.clock.now() + afterMs, 'mail', mailbox, to, { ...common, kind, text, newThread: false, ...more });
  if (behaviour.bounce === 'hard' || behaviour.bounce === 'soft') {
    plan(MINUTE, behaviour.bounce);
    return;
  }
  if (behaviour.complains) plan(HOUR, 'complaint');
  if (behaviour.autoReply) plan(MINUTE, 'auto', behaviour.autoReply);
  if (!behaviour.replyText) return;
  const from = behaviour.replyFrom || to;
  plan(behaviour.replyAfterMs, 'reply', behaviour.replyText, { from, newThread: behaviour.newThread });
}

/** A planned answer has become due: it lies in the inbox. */
export function arrive(world: World, payload: unknown, at: number): void {
  const answer = answerSchema.parse(payload);
  fileMail(world, { mailbox: answer.mailbox, folder: 'INBOX', raw: rawOf(world, answer, at), at });
}

function rawOf(world: World, answer: Answer, at: number): string {
  const id = `<${world.ids.uuid()}@sandbox.example>`;
  const system = `postmaster@${answer.mailbox.slice(answer.mailbox.lastIndexOf('@') + 1)}`;
  const head = (from: string, subject: string, more: readonly string[]): string[] => [
    `From: ${from}`,
    `To: ${answer.mailbox}`,
    `Subject: ${subject}`,
    `Message-ID: ${id}`,
    `Date: ${new Date(at).toUTCString()}`,
    'MIME-Version: 1.0',
    ...more,
  ];
  const thread = answer.newThread ? [] : [`In-Reply-To: ${answer.messageId}`, `References: ${answer.messageId}`];
  const plain = ['Content-Type: text/plain; charset=utf-8', ''];
  const lines =
    answer.kind === 'reply'
      ? [...head(answer.from, `Re: ${answer.subject}`, [...thread, ...plain]), answer.text]
      : answer.kind === 'auto'
        ? [
            ...head(answer.from, `Re: ${answer.subject}`, ['Auto-Submitted: auto-replied', ...thread]),
            ...plain,
            answer.text,
          ]
        : [...head(system, 'Report', []), ...report(answer)];
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'utf8').toString('latin1');
}

/** RFC 3464 for what was not delivered, RFC 5965 for a complaint; the headers of our mail come back with it. */
function report(answer: Answer): string[] {
  const complaint = answer.kind === 'complaint';
  const [type, part] = complaint
    ? ['feedback-report', 'message/feedback-report']
    : ['delivery-status', 'message/delivery-status'];
  const hard = answer.kind === 'hard';
  const facts = complaint
    ? ['Feedback-Type: abuse', 'User-Agent: sandbox/1', 'Version: 1', `Original-Rcpt-To: <${answer.from}>`]
    : [
        'Reporting-MTA: dns; sandbox.example',
        '',
        `Final-Recipient: rfc822; ${answer.from}`,
        'Action: failed',
        `Status: ${hard ? '5.1.1' : '4.2.2'}`,
        `Diagnostic-Code: smtp; ${hard ? '550 5.1.1 no such user' : '452 4.2.2 mailbox full'}`,
      ];
  return [
    `Content-Type: multipart/report; report-type=${type}; boundary="sandbox"`,
    '',
    '--sandbox',
    'Content-Type: text/plain',
    '',
    complaint ? 'This is a complaint.' : 'Your mail could not be delivered.',
    '--sandbox',
    `Content-Type: ${part}`,
    '',
    ...facts,
    '--sandbox',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${answer.messageId}`,
    `Subject: ${answer.subject}`,
    '--sandbox--',
  ];
}
