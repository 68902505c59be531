import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { POST_FORMATS } from '../../domain/craft/craft-order.ts';
import { factsOfCaller } from '../../domain/craft/offer-facts.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { craftedResult, craftParams } from './craft-params.ts';
import { craftTexts, NOTHING_MORE } from './craft-texts.ts';
import { workspaceWork } from './workspace-work.ts';

/** Longest post of the network, UTF-16 units. */
const LONGEST_POST = 3_000;

export const craftContentPost = tool({
  name: 'svc_craft_content_post',
  domain: 'Craft',
  title: 'Craft content post',
  description: 'Writes a post in the workspace voice about a topic; stores nothing. Next: svc_get_playbook.',
  example: {
    input: { topic: 'What a first meeting is worth', format: 'question', language: 'en' },
    other: { topic: 'What a second meeting is worth' },
  },
  scope: 'content:write',
  category: 'llm',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    topic: z.string().min(1).max(2_000),
    format: z.enum(POST_FORMATS).default('text'),
    searchWatchId: z.string().min(1).optional(),
    ...craftParams,
  }),
  output: z.object(craftedResult),
  async run(ctx, input) {
    if (input.searchWatchId !== undefined) {
      const text = `Search watch "${input.searchWatchId.slice(0, 80)}" was not found. Call svc_search to find valid IDs.`;
      throw new UserError(text, 'NotFound');
    }
    const work = await workspaceWork(ctx, {
      ...input,
      task: { kind: 'post', format: input.format },
      facts: factsOfCaller(input.topic),
      requireFacts: 0,
      maxLength: LONGEST_POST,
      about: input.topic,
      seed: `post/${input.format}/${input.topic.slice(0, 80)}`,
      action: 'ai_craft_long',
      nextStep: 'Call svc_craft_content_post with more in topic.',
    });
    return craftTexts(ctx, input, work, NOTHING_MORE);
  },
});
