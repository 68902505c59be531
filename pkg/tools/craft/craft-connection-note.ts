import { z } from 'zod';
import { tool } from '../tool.ts';
import { craftedResult, craftParams } from './craft-params.ts';
import { craftTexts, NOTHING_MORE } from './craft-texts.ts';
import { leadWork } from './lead-order.ts';

export const craftConnectionNote = tool({
  name: 'svc_craft_connection_note',
  domain: 'Craft',
  title: 'Craft connection note',
  description:
    'Writes a connection note of at most 300 characters (200 for basic accounts). Next: svc_create_workflow.',
  example: {
    input: { leadId: '$leadId', campaignId: '$campaignId', maxLength: 200, language: 'en' },
    other: { maxLength: 300 },
  },
  scope: 'campaigns:write',
  category: 'llm',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'record',
  input: z.strictObject({
    leadId: z.string().min(1),
    campaignId: z.string().min(1),
    maxLength: z.int().min(50).max(300).default(300),
    ...craftParams,
  }),
  output: z.object(craftedResult),
  async run(ctx, input) {
    return craftTexts(ctx, input, await leadWork(ctx, { ...input, channel: 'note' }), NOTHING_MORE);
  },
});
