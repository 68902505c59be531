import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { mailHtmlProblem } from '../../domain/mail-html.ts';
import { plainSubject, replySubject } from '../../domain/mail-thread.ts';
import type { Tx } from '../../postgres/database.ts';
import { textOfHtml } from '../../providers/mail/text-of-html.ts';
import { invalidInput, wrongState } from '../errors.ts';
import { mailParam } from '../identity-params.ts';
import { directResult, lookedUp, type PlannedDirect, planDirect, timingParams } from '../outreach/direct-action.ts';
import { silence } from '../outreach/plan-for-person.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { type Recipient, recipientOf, requireAllowed } from './mail-recipient.ts';
import { type AnsweredMail, answeredMail } from './mail-thread-of.ts';
import { sendingMailbox } from './sending-mailbox.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  providerAccountId: z
    .string()
    .min(1)
    .optional()
    .describe('Default: first connected provider account linked to the workspace.'),
  leadId: z.string().min(1).optional(),
  to: mailParam.optional(),
  subject: z.string().min(1).max(300),
  body: z.string().min(1).max(100_000),
  bodyFormat: z.enum(['text', 'html']).default('text'),
  inReplyToMessageId: z.string().min(1).optional(),
  cc: z.array(mailParam).max(10).optional(),
  unsubscribeHeader: z.boolean().default(true),
  expectedLastMessageId: z.string().min(1).optional().describe('Refuse when a newer message came in.'),
  ...timingParams('paced'),
});
type Request = z.output<typeof input>;

export const sendMail = tool({
  name: 'svc_send_mail',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Send mail',
  description:
    "Sends one mail or thread reply with one-click unsubscribe headers, under the mailbox's daily limit and the suppression list; never twice. Next: svc_get_mail_deliverability.",
  example: {
    input: {
      providerAccountId: '$mailboxId',
      to: 'dee@delta.example',
      subject: 'The figures you asked for',
      body: 'Here they are: 12 plants, 4 of them in France.',
    },
    other: { body: 'Here they are: 12 plants, 5 of them in France.' },
  },
  scope: 'ext_integrations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input,
  output: z.object({
    mailId: z.string().nullable(),
    status: directResult.status,
    scheduledFor: directResult.scheduledFor,
    deduplicated: z.boolean(),
    remainingToday: z.number(),
    detail: directResult.detail,
  }),
  async run(ctx, request) {
    requireReadable(request);
    const { result } = await lookedUp(
      ctx,
      request.timing,
      async () => null,
      (tx) => plan(ctx, tx, request),
    );
    const { actionId, budgetRemaining, ...told } = result;
    return { mailId: actionId, remainingToday: budgetRemaining, ...told };
  },
});

/** @throws UserError for a text that can not be sent as it is */
function requireReadable({ subject, body, bodyFormat }: Request): void {
  if (/[\p{Cc}\u2028\u2029]/u.test(subject)) throw invalidInput('subject', 'must be one line of text');
  if (subject.trim() === '') throw invalidInput('subject', 'must say something');
  const problem = bodyFormat === 'html' ? mailHtmlProblem(body) : null;
  if (problem) throw invalidInput('body', problem);
  if (textOf({ body, bodyFormat }).trim() === '') throw invalidInput('body', 'must say something');
}

function textOf({ body, bodyFormat }: Pick<Request, 'body' | 'bodyFormat'>): string {
  return bodyFormat === 'html' ? textOfHtml(body) : body;
}

async function plan(ctx: ToolContext, tx: Tx, request: Request): Promise<PlannedDirect> {
  const { inReplyToMessageId: answers } = request;
  const cc = [...new Set(request.cc)];
  const { workspaceId } = ctx;
  const answered = answers === undefined ? null : await answeredMail(tx, workspaceId, answers);
  if (answered) requireSameThread(answered, request);
  const now = ctx.clocks.product.now();
  const box = await sendingMailbox(tx, workspaceId, answered?.accountId ?? request.providerAccountId, {
    now,
    units: 1 + cc.length,
  });
  const recipient = await recipientOf(ctx, tx, request);
  await requireAllowed(ctx, tx, recipient.address, cc);
  if (answered && answered.personId !== null && recipient.personId !== answered.personId)
    throw invalidInput('inReplyToMessageId', 'is a mail of somebody else than the one whom this is for');
  const heard = await heardOf(tx, box.account.id, recipient, request.expectedLastMessageId);
  const planned = await planDirect(ctx, tx, {
    leadId: recipient.leadId,
    accountId: box.account.id,
    action: 'mail',
    // Who gets a copy gets a mail.
    budgets: ['mail', ...cc.map(() => 'mail' as const)],
    once: `tool:${ctx.ids.uuid()}`,
    body: textOf(request),
    target: targetOf(request, recipient, answered, heard),
    unclaimed: answered === null,
    timing: request.timing,
  });
  if (planned === 'already_sent') throw new Error('the key of a new mail was spent');
  await silence(ctx, tx, { leadId: recipient.leadId, accountId: box.account.id });
  return {
    actionId: planned.actionId,
    deduplicated: !planned.made,
    budgetRemaining: planned.made ? box.remaining - 1 - cc.length : box.remaining,
    instead: null,
  };
}

/** @throws UserError for what would open another thread in the reader's client */
function requireSameThread({ accountId, subject }: AnsweredMail, request: Request): void {
  const { providerAccountId } = request;
  if (providerAccountId !== undefined && providerAccountId !== accountId)
    throw invalidInput('providerAccountId', 'is another mailbox than that of the mail which is answered');
  if (plainSubject(request.subject).toLowerCase() === plainSubject(subject).toLowerCase()) return;
  const wanted = replySubject({ accountId, subject, references: [] });
  throw invalidInput(
    'subject',
    `an answer keeps the subject of its thread, "${wanted}", or clients show it as another`,
  );
}

function targetOf(
  request: Request,
  { address }: Recipient,
  answered: AnsweredMail | null,
  knownAt: number,
): JsonObject {
  const { subject, cc = [], bodyFormat, body, unsubscribeHeader } = request;
  return {
    to: address,
    subject: answered ? replySubject({ ...answered, accountId: answered.accountId }) : subject,
    // The header is the way to leave; the text has one where its writer put it.
    link: false,
    ...(answered ? { references: answered.references } : {}),
    ...(cc.length > 0 ? { cc: [...new Set(cc)] } : {}),
    ...(bodyFormat === 'html' ? { html: body } : {}),
    ...(unsubscribeHeader ? {} : { listed: false }),
    ...(knownAt > 0 ? { knownAt } : {}),
  };
}

/**
 * When the newest mail of the person came that its writer can know.
 * @throws UserError when one came after the mail that the writer knows as the last
 */
async function heardOf(
  tx: Tx,
  accountId: string,
  { personId }: Recipient,
  expectedId: string | undefined,
): Promise<number> {
  const mails =
    personId === null
      ? []
      : await tx.rows<{ id: string; at: number }>(
          `select m.id, m.sent_at as at
           from conversation c
           join message m on m.conversation_id = c.id and m.direction = 'in'
           where c.person_id = $2 and c.account_id = $1
           order by m.sent_at desc, m.id desc limit 100`,
          [accountId, personId],
        );
  const newest = mails[0];
  if (expectedId !== undefined) {
    const expected = mails.find((one) => one.id === expectedId);
    if (!expected) throw invalidInput('expectedLastMessageId', 'is no mail of this person. Call svc_list_messages');
    if (newest && newest.at > expected.at)
      throw wrongState(`A newer message arrived: "${newest.id}"`, 'svc_list_messages');
  }
  return newest?.at ?? 0;
}
