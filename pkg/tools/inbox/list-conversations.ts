import { z } from 'zod';
import { REPLY_CLASSES } from '../../domain/vocabulary.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { CONVERSATION_COLUMNS, type ConversationRow, conversation, conversationOf } from './conversation-row.ts';

export const listConversations = tool({
  name: 'svc_list_conversations',
  domain: 'Inbox',
  title: 'List conversations',
  description:
    'Lists conversations of the accounts linked to the workspace, newest first; one inbox per account, shared by its workspaces. Reading never marks as read. Next: svc_list_messages.',
  scope: 'inbox:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: z
      .string()
      .min(1)
      .optional()
      .describe('Optional with a workspace key (defaults to its workspace); required with a user key.'),
    networkAccountId: z.string().min(1).optional().describe('Only this account.'),
    unreadOnly: z.boolean().default(false),
    replyClass: z.enum(REPLY_CLASSES).optional(),
    query: z.string().max(200).optional(),
    ...pageParams,
  }),
  output: z.object({ conversations: z.array(conversation), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { networkAccountId, unreadOnly, replyClass, query } = input;
    const filters = { workspaceId: ctx.workspaceId, networkAccountId, unreadOnly, replyClass, query };
    const page = await ctx.tx(async (tx) => {
      if (networkAccountId !== undefined) {
        const linked = await tx.row('select 1 from account_link where workspace_id = $1 and account_id = $2', [
          ctx.workspaceId,
          networkAccountId,
        ]);
        if (!linked) throw notFound('networkAccount', networkAccountId);
      }
      return pageOf(
        ctx,
        'svc_list_conversations',
        input,
        filters,
        (position, fetch) =>
          tx.rows<ConversationRow>(
            `select ${CONVERSATION_COLUMNS}
             where c.account_id in (select account_id from account_link where workspace_id = $1)
               and ($2::text is null or c.account_id = $2) and (not $3 or c.unread > 0) and ($4::text is null or c.reply_class = $4)
               and ($5::text is null or c.participant_name ilike $5 or c.preview ilike $5)
               and ($6::bigint is null or (c.last_message_at, c.id) < ($6, $7::uuid))
             order by c.last_message_at desc, c.id desc limit $8`,
            [
              ctx.workspaceId,
              networkAccountId ?? null,
              unreadOnly,
              replyClass ?? null,
              query === undefined ? null : `%${query.replace(/[\\%_]/g, '\\$&')}%`,
              position?.[0] ?? null,
              position?.[1] ?? null,
              fetch,
            ],
          ),
        (row) => [row.last_message_at, row.id],
      );
    });
    return { conversations: page.rows.map(conversationOf), nextCursor: page.nextCursor };
  },
});
