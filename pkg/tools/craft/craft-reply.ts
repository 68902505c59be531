import { z } from 'zod';
import { REPLY_INTENTS } from '../../domain/craft/craft-order.ts';
import { classReply } from '../../store/inbox/class-reply.ts';
import { actorOf } from '../actor-of.ts';
import { tool } from '../tool.ts';
import { craftedResult, craftParams } from './craft-params.ts';
import { craftTexts } from './craft-texts.ts';
import { freeTimes } from './free-times.ts';
import { replyWork } from './reply-work.ts';

export const craftReply = tool({
  name: 'svc_craft_reply',
  domain: 'Craft',
  title: 'Craft reply',
  description:
    'Writes an answer to the latest message of a conversation and classifies that message, which the conversation keeps. Next: svc_list_messages.',
  example: { input: { conversationId: '$answeredId', language: 'en' }, other: { intent: 'polite_close' } },
  scope: 'inbox:write',
  category: 'llm',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'record',
  input: z.strictObject({
    conversationId: z.string().min(1),
    intent: z.enum(REPLY_INTENTS).default('answer'),
    proposeSlots: z.boolean().default(false).describe('Needs ext_integrations:read.'),
    ...craftParams,
  }),
  output: z.object({ ...craftedResult, replyClass: z.string() }),
  async run(ctx, input) {
    const { work, latest } = await replyWork(ctx, input);
    const { workspaceId } = work;
    const { id: messageId, leadId } = latest;
    const slots = input.proposeSlots
      ? [await freeTimes(ctx, { workspaceId, conversationId: input.conversationId, leadId })]
      : [];
    const order = { ...work.order, facts: [...work.order.facts, ...slots] };
    return craftTexts(
      ctx,
      input,
      { ...work, order },
      {
        ask: async (writer) => ({ replyClass: await writer.classify(latest.text, latest.at, ctx.signal) }),
        keep: (tx, { replyClass }) => {
          const now = ctx.clocks.product.now();
          return classReply(tx, { workspaceId, messageId, leadId, replyClass, actor: actorOf(ctx), now });
        },
      },
    );
  },
});
