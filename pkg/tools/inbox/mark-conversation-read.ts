import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';
import { markRead } from '../../store/inbox/mark-read.ts';
import { notFound, wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';

export const markConversationRead = tool({
  name: 'svc_mark_conversation_read',
  domain: 'Inbox',
  title: 'Mark conversation read',
  description:
    'Marks one conversation read (or unread), here and at the network; one of mails here alone. Next: svc_get_unread_counts.',
  example: { input: { conversationId: '$conversationId' } },
  scope: 'inbox:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'record',
  input: z.strictObject({ conversationId: z.string().min(1), read: z.boolean().default(true) }),
  output: z.object({ conversationId: z.string(), unread: z.boolean() }),
  async run(ctx, { conversationId, read }) {
    const talk = isUuid(conversationId)
      ? await ctx.tx((tx) =>
          tx.row<Talk>(
            `select c.id, c.external_id as "chatId", a.provider, a.external_id as "externalId", a.kind
             from conversation c
             join network_account a on a.id = c.account_id
             where c.id = $1`,
            [conversationId],
          ),
        )
      : undefined;
    if (!talk) throw notFound('conversation', conversationId);
    if (talk.kind === 'network') await markThere(ctx, talk, read);
    const unread = await ctx.tx((tx) => markRead(tx, talk.id, read, ctx.clocks.product.now()));
    return { conversationId: talk.id, unread: unread > 0 };
  },
});

interface Talk {
  id: string;
  chatId: string;
  provider: string;
  externalId: string;
  kind: 'network' | 'mail';
}

/** The network first: what it refuses is not said to be read here. */
async function markThere(ctx: ToolContext, { chatId, provider, externalId }: Talk, read: boolean): Promise<void> {
  const network = ctx.providers(provider);
  if (!network?.markRead)
    throw wrongState('The provider of the account marks nothing here', 'svc_list_network_accounts');
  try {
    await network.markRead({ externalId }, chatId, read, ctx.signal);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // It is not there any more: nobody reads it there.
    if (error.kind === 'rejected') return;
    throw wrongState(`The network did not mark it: ${error.message}`, 'svc_refresh_inbox');
  }
}
