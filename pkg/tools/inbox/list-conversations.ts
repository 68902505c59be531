import { z } from 'zod';
import { REPLY_CLASSES } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { boundedSearch } from '../bounded-search.ts';
import { detailParam, shaper } from '../compact.ts';
import { notFound } from '../errors.ts';
import { requireCampaignOf } from '../lead-lists/list-row.ts';
import { requireLead } from '../outreach/target-lead.ts';
import { pageOf, pageParams } from '../paging.ts';
import { CONVERSATIONS_WITH } from '../records/conversations.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import {
  CONVERSATION_COLUMNS,
  CONVERSATION_FORM,
  type ConversationRow,
  conversationOf,
  listedConversation,
} from './conversation-row.ts';

/** Each account's newest in the order of its index, and of those the newest. */
const QUERY = `select ${CONVERSATION_COLUMNS} where c.id = any (array(
    select p.id from account_link k cross join lateral (
      select x.id, x.last_message_at from conversation x
      where x.account_id = k.account_id and (not $3 or x.unread > 0)
        and ($4::text is null or x.reply_class = $4 and ($4 = 'unclassified' or x.reply_class <> 'unclassified'))
        and ($5::text is null or x.participant_name ilike $5 or x.preview ilike $5)
        and ($9::uuid[] is null or x.id = any ($9))
        and ($10::text is null or exists (
          select 1 from run r where r.campaign_id = $10 and r.person_id in (
            select x.person_id union
            select m.person_id from relation m
            where m.account_id = x.account_id and m.provider_id = x.provider_id and x.provider_id <> '')))
        and ($6::bigint is null or (x.last_message_at, x.id) < ($6, $7::uuid))
      order by x.last_message_at desc, x.id desc limit $8) p
    where k.workspace_id = $1 and ($2::text is null or k.account_id = $2)
    order by p.last_message_at desc, p.id desc limit $8))
  order by c.last_message_at desc, c.id desc`;

/** Those that `app.find_conversations` found. */
const FOUND = `select ${CONVERSATION_COLUMNS} where c.id = any ($1::uuid[]) order by c.last_message_at desc, c.id desc`;

/**
 * A page by text comes from an index; one with a text too short for it, as one without, from a walk.
 * @param values workspace, account, unread only, reply class, pattern, time and id of the position, limit, ids, campaign
 */
async function readPage(tx: Tx, values: readonly unknown[]): Promise<ConversationRow[]> {
  const [, , , , pattern, , , , ids, campaignId] = values;
  const found =
    pattern === null || ids !== null || campaignId !== null
      ? undefined
      : await tx.row<{ ids: string[] | null }>(
          'select app.find_conversations($1, $2, $3, $4, $5, $6::bigint, $7::uuid, $8) as ids',
          values.slice(0, 8),
        );
  return found?.ids ? tx.rows<ConversationRow>(FOUND, [found.ids]) : tx.rows<ConversationRow>(QUERY, [...values]);
}

export const listConversations = tool({
  name: 'svc_list_conversations',
  domain: 'Inbox',
  title: 'List conversations',
  description:
    'Lists conversations of the accounts linked to the workspace, newest first; one inbox per account, shared by its workspaces. Reading never marks as read. Next: svc_list_messages.',
  example: { input: { unreadOnly: true } },
  scope: 'inbox:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    networkAccountId: z.string().min(1).optional().describe('Only this account.'),
    unreadOnly: z.boolean().default(false),
    replyClass: z.enum(REPLY_CLASSES).optional(),
    query: z.string().max(200).optional().describe('Words of a name, or of the last message.'),
    leadId: z.string().min(1).optional().describe('Only those with this lead.'),
    campaignId: z.string().min(1).optional().describe('Only those with leads who are, or were, in this campaign.'),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ conversations: z.array(listedConversation), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { networkAccountId, unreadOnly, replyClass, query, leadId, campaignId } = input;
    const filters = {
      workspaceId: ctx.workspaceId,
      networkAccountId,
      unreadOnly,
      replyClass,
      query,
      leadId,
      campaignId,
    };
    const page = await ctx.tx(async (tx) => {
      if (networkAccountId !== undefined) {
        const linked = await tx.row('select 1 from account_link where workspace_id = $1 and account_id = $2', [
          ctx.workspaceId,
          networkAccountId,
        ]);
        if (!linked) throw notFound('networkAccount', networkAccountId);
      }
      await requireCampaignOf(tx, campaignId, ctx.workspaceId);
      const ids = leadId === undefined ? null : await talksWith(tx, ctx.workspaceId, leadId);
      return pageOf(
        ctx,
        'svc_list_conversations',
        input,
        filters,
        (position, fetch) =>
          boundedSearch(tx, '"query" (or name a networkAccountId)', (limited) =>
            readPage(limited, [
              ctx.workspaceId,
              networkAccountId ?? null,
              unreadOnly,
              replyClass ?? null,
              query === undefined ? null : `%${query.replace(/[\\%_]/g, '\\$&')}%`,
              position?.[0] ?? null,
              position?.[1] ?? null,
              fetch,
              ids,
              campaignId ?? null,
            ]),
          ),
        (row) => [row.last_message_at, row.id],
      );
    });
    const shape = shaper(CONVERSATION_FORM, input);
    const conversations = page.rows.map((row) => ({ ...shape(conversationOf(row)), conversationId: row.id }));
    return { conversations, nextCursor: page.nextCursor };
  },
});

/** Ids of the conversations with a lead. @throws UserError not found */
async function talksWith(tx: Tx, workspaceId: string, leadId: string): Promise<string[]> {
  const { personId } = await requireLead(tx, workspaceId, leadId);
  if (personId === null) return [];
  return (await tx.rows<{ id: string }>(CONVERSATIONS_WITH, [personId])).map((row) => row.id);
}
