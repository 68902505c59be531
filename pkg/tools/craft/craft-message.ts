import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { tool } from '../tool.ts';
import { craftedResult, craftParams } from './craft-params.ts';
import { craftTexts, NOTHING_MORE } from './craft-texts.ts';
import { leadWork } from './lead-order.ts';

export const craftMessage = tool({
  name: 'svc_craft_message',
  domain: 'Craft',
  title: 'Craft message',
  description:
    'Writes a personalised message, InMail or mail for a lead from facts on record, under the one playbook that applies; sends nothing. Next: svc_create_workflow, svc_update_workflow or svc_edit_review_item.',
  example: {
    input: { leadId: '$leadId', campaignId: '$campaignId', language: 'en' },
    other: { instructions: 'Ask for a call' },
  },
  scope: 'campaigns:write',
  category: 'llm',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'record',
  input: z.strictObject({
    leadId: z.string().min(1),
    campaignId: z.string().min(1),
    channel: z.enum(['message', 'inmail', 'mail']).default('message'),
    conversationId: z.string().min(1).optional().describe('Needs inbox:read.'),
    ...craftParams,
  }),
  output: z.object(craftedResult),
  async run(ctx, input) {
    if (input.conversationId !== undefined && !ctx.caller.scopes.has('inbox:read')) {
      const text =
        'conversationId needs the scope inbox:read, which this key lacks. Leave it out, or call svc_create_api_key.';
      throw new UserError(text, 'MissingScope');
    }
    return craftTexts(ctx, input, await leadWork(ctx, input), NOTHING_MORE);
  },
});
