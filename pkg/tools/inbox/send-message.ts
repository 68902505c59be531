import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { nameParts } from '../../domain/person-name.ts';
import type { Tx } from '../../postgres/database.ts';
import { meetPerson } from '../../store/accounts/relation-between.ts';
import { invalidInput, notFound, wrongState } from '../errors.ts';
import { actingAccount } from '../outreach/acting-account.ts';
import { directResult, lookedUp, type PlannedDirect, planDirect, timingParams } from '../outreach/direct-action.ts';
import { actingParam } from '../outreach/direct-params.ts';
import { silence } from '../outreach/plan-for-person.ts';
import { askWhoItIs, enterStranger, requireLead, type Stranger, type TargetLead } from '../outreach/target-lead.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';

const input = z.strictObject({
  conversationId: z.string().min(1).optional(),
  leadId: z.string().min(1).optional(),
  ...actingParam,
  body: z.string().min(1).max(8_000),
  expectedLastMessageId: z.string().min(1).optional().describe('Refuse when a newer message came in.'),
  ...timingParams('now'),
});
type Request = z.output<typeof input>;

export const sendMessage = tool({
  name: 'svc_send_message',
  domain: 'Inbox',
  title: 'Send message',
  description:
    "Answers in a conversation or messages a connection, under budget, suppression and de-duplication; stops the lead's sequence so robot and human never talk at once. Next: svc_list_messages.",
  example: {
    input: { leadId: '$leadId', body: 'Thank you. Shall we say Thursday at ten?', timing: 'paced' },
    other: { body: 'Thank you. Shall we say Friday at ten?' },
  },
  scope: 'outreach:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input,
  output: z.object({ ...directResult, conversationId: z.string().nullable() }),
  async run(ctx, request) {
    if ((request.conversationId === undefined) === (request.leadId === undefined))
      throw invalidInput('conversationId', 'give either conversationId or leadId');
    if (request.body.trim() === '') throw invalidInput('body', 'must say something');
    const { planned, result } = await lookedUp(
      ctx,
      request.timing,
      async () => {
        const talk = await ctx.tx((tx) => talkOf(tx, ctx.workspaceId, request));
        return { talk, stranger: talk && talk.leadId === null ? await whoIsIt(ctx, talk) : null };
      },
      (tx, found) => plan(ctx, tx, request, found),
    );
    return { ...result, conversationId: planned.conversationId };
  },
});

/** What the conversation tells of who it is with, else the network. */
function whoIsIt(ctx: ToolContext, { accountId, providerId, profileUrl, name }: Talk): Promise<Stranger> {
  if (profileUrl === '') return askWhoItIs(ctx, accountId, providerId);
  const { firstName, lastName } = nameParts(name);
  return Promise.resolve({ profileUrl, firstName, lastName });
}

/** A conversation as an answer needs it. */
interface Talk {
  id: string;
  accountId: string;
  chatId: string;
  providerId: string;
  /** As the network tells of the participant; '': it does not. */
  profileUrl: string;
  name: string;
  /** Null: a stranger to the workspace. */
  leadId: string | null;
  /** The newest message that came in, and the one that the caller knows as the last. */
  newest: Heard | null;
  expected: Heard | null;
}
interface Heard {
  id: string;
  sentAt: number;
}

async function talkOf(tx: Tx, workspaceId: string, request: Request): Promise<Talk | null> {
  const { conversationId, expectedLastMessageId: expectedId } = request;
  if (conversationId === undefined) {
    if (expectedId !== undefined) throw invalidInput('expectedLastMessageId', 'is for a conversationId');
    return null;
  }
  const talk = isUuid(conversationId) ? await readTalk(tx, workspaceId, conversationId, expectedId) : undefined;
  if (!talk) throw notFound('conversation', conversationId);
  if (talk.chatId.startsWith('mail:'))
    throw wrongState(
      'This conversation is by mail, and svc_send_message writes on the network',
      'svc_list_conversations',
    );
  if (request.networkAccountId !== undefined && request.networkAccountId !== talk.accountId)
    throw invalidInput('networkAccountId', 'is another account than that of the conversation');
  if (expectedId !== undefined && !talk.expected)
    throw invalidInput('expectedLastMessageId', 'is no message of this conversation. Call svc_list_messages');
  requireLast(talk);
  return talk;
}

/** @throws UserError when the person wrote after the message that the caller knows as the last */
function requireLast({ newest, expected }: Talk): void {
  if (expected && newest && newest.sentAt > expected.sentAt)
    throw wrongState(`A newer message arrived: "${newest.id}"`, 'svc_list_messages');
}

function readTalk(
  tx: Tx,
  workspaceId: string,
  conversationId: string,
  expectedId: string | undefined,
): Promise<Talk | undefined> {
  return tx.row<Talk>(
    `select
       c.id, c.account_id as "accountId", c.external_id as "chatId", coalesce(c.provider_id, '') as "providerId",
       c.participant_profile_url as "profileUrl", c.participant_name as name,
       (
         select l.id
         from (
           select c.person_id as id
           union
           select r.person_id
           from relation r
           where r.account_id = c.account_id and r.provider_id = c.provider_id and c.provider_id <> ''
         ) p
         cross join lateral app.leads_of(p.id) x (id)
         join lead l on l.id = x.id and l.erased_at is null and coalesce(l.workspace_id, $1) = $1
         order by l.workspace_id nulls last, l.id limit 1
       ) as "leadId",
       (
         select jsonb_build_object('id', m.id, 'sentAt', m.sent_at)
         from message m
         where m.conversation_id = c.id and m.direction = 'in'
         order by m.sent_at desc, m.id desc limit 1
       ) as newest,
       (
         select jsonb_build_object('id', m.id, 'sentAt', m.sent_at)
         from message m
         where m.conversation_id = c.id and m.id = $3::uuid
       ) as expected
     from conversation c
     join account_link k on k.account_id = c.account_id and k.workspace_id = $1
     where c.id = $2`,
    [workspaceId, conversationId, expectedId !== undefined && isUuid(expectedId) ? expectedId : null],
  );
}

type Planned = PlannedDirect & { conversationId: string | null };

async function plan(
  ctx: ToolContext,
  tx: Tx,
  request: Request,
  { talk, stranger }: { talk: Talk | null; stranger: Stranger | null },
): Promise<Planned> {
  const now = ctx.clocks.product.now();
  const lead = await leadOf(ctx, tx, request, { talk, stranger });
  const known = talk ? [] : await talksWith(tx, lead.personId);
  const { account, remaining } = await actingAccount(tx, {
    workspaceId: ctx.workspaceId,
    networkAccountId: talk?.accountId ?? request.networkAccountId,
    preferred: known.map((one) => one.accountId),
    budgets: ['message'],
    now,
  });
  const planned = await planDirect(ctx, tx, {
    leadId: lead.leadId,
    accountId: account.id,
    action: 'message',
    budgets: ['message'],
    once: `tool:${ctx.ids.uuid()}`,
    body: request.body,
    target: targetOf(talk, await lastHeard(tx, account.id, lead.personId)),
    unclaimed: talk === null,
    timing: request.timing,
  });
  if (planned === 'already_sent') throw new Error('the key of a new message was spent');
  const { personId } = await requireLead(tx, ctx.workspaceId, lead.leadId);
  if (talk && personId !== null && talk.providerId !== '') await meetPerson(tx, account.id, personId, talk.providerId);
  await silence(ctx, tx, { leadId: lead.leadId, accountId: account.id });
  return {
    actionId: planned.actionId,
    deduplicated: !planned.made,
    budgetRemaining: remaining,
    instead: null,
    conversationId: talk?.id ?? known.find((one) => one.accountId === account.id)?.id ?? null,
  };
}

function leadOf(
  ctx: ToolContext,
  tx: Tx,
  request: Request,
  { talk, stranger }: { talk: Talk | null; stranger: Stranger | null },
): Promise<TargetLead> {
  if (stranger) return enterStranger(ctx, tx, stranger);
  return requireLead(tx, ctx.workspaceId, talk?.leadId ?? request.leadId ?? '');
}

/** Where the answer goes, and what its writer knows. @param heardAt as {@link lastHeard} */
function targetOf(talk: Talk | null, heardAt: number | null): JsonObject {
  const knownAt = Math.max(talk?.newest?.sentAt ?? 0, heardAt ?? 0);
  const known: JsonObject = knownAt > 0 ? { knownAt } : {};
  if (!talk) return known;
  const { chatId, providerId, expected } = talk;
  return {
    chatId,
    ...(providerId === '' ? {} : { providerId }),
    ...known,
    ...(expected ? { expectedAt: expected.sentAt } : {}),
  };
}

/** When the newest message came that is stored of the person with the account, in any conversation; null: none. */
async function lastHeard(tx: Tx, accountId: string, personId: string | null): Promise<number | null> {
  if (personId === null) return null;
  const row = await tx.row<{ at: number | null }>(
    `select max(m.sent_at) as at
     from conversation c
     join message m on m.conversation_id = c.id and m.direction = 'in'
     where c.person_id = $2 and c.account_id = $1`,
    [accountId, personId],
  );
  return row?.at ?? null;
}

/** Conversations of the network with the person, the newest first. */
async function talksWith(tx: Tx, personId: string | null): Promise<{ id: string; accountId: string }[]> {
  if (personId === null) return [];
  return tx.rows(
    `select c.id, c.account_id as "accountId"
     from conversation c
     where c.person_id = $1 and not starts_with(c.external_id, 'mail:') and not c.in_mail
     order by c.last_message_at desc, c.id limit 10`,
    [personId],
  );
}
