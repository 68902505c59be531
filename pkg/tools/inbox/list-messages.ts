import { z } from 'zod';
import { pageOf, pageParams } from '../paging.ts';
import { MESSAGE_COLUMNS, type MessageRow, messageOf, messageRecord, PLANNED_MESSAGES } from '../records/message.ts';
import { tool } from '../tool.ts';
import { conversation, conversationOf, requireConversation } from './conversation-row.ts';

export const listMessages = tool({
  name: 'svc_list_messages',
  domain: 'Inbox',
  title: 'List messages',
  description: "Reads one conversation's messages, newest first, without marking them read. Next: svc_send_message.",
  example: { input: { conversationId: '$conversationId' } },
  scope: 'inbox:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ conversationId: z.string().min(1), ...pageParams }),
  output: z.object({ conversation, messages: z.array(messageRecord), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const row = await requireConversation(tx, input.conversationId);
      const page = await pageOf(
        ctx,
        'svc_list_messages',
        input,
        { conversationId: row.id },
        (position, fetch) =>
          tx.rows<MessageRow>(
            `select x.*
             from (
               (
                 select ${MESSAGE_COLUMNS}
                 from message m
                 where m.conversation_id = $1 and ($2::bigint is null or (m.sent_at, m.id) < ($2, $3::uuid))
                 order by m.sent_at desc, m.id desc limit $4
               )
               union all
               select p.*
               from conversation c
               cross join lateral (${PLANNED_MESSAGES}) p
               where c.id = $1 and ($2::bigint is null or (p.sent_at, p.id) < ($2, $3::uuid))
             ) x
             order by x.sent_at desc, x.id desc limit $4`,
            [row.id, position?.[0] ?? null, position?.[1] ?? null, fetch],
          ),
        (message) => [message.sent_at, message.id],
      );
      return { conversation: conversationOf(row), messages: page.rows.map(messageOf), nextCursor: page.nextCursor };
    });
  },
});
