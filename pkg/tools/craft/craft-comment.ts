import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { factsOfPost } from '../../domain/craft/offer-facts.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { craftedResult, craftParams } from './craft-params.ts';
import { craftTexts, NOTHING_MORE } from './craft-texts.ts';
import { workspaceWork } from './workspace-work.ts';

export const craftComment = tool({
  name: 'svc_craft_comment',
  domain: 'Craft',
  title: 'Craft comment',
  description: 'Writes a comment on a post in the workspace voice. Next: svc_create_workflow.',
  example: {
    input: { postUrl: 'https://network.example/posts/1', postText: 'We open two shops in Leeds. Hiring is hard.' },
    other: { postText: 'We open three shops in York.' },
  },
  scope: 'outreach:write',
  category: 'llm',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    postUrl: z.url().max(500),
    postText: z.string().max(10_000).optional().describe('When given, nothing is scraped.'),
    ...craftParams,
  }),
  output: z.object(craftedResult),
  async run(ctx, input) {
    const text = input.postText ?? (await knownPost(ctx, input.postUrl));
    const work = await workspaceWork(ctx, {
      ...input,
      task: { kind: 'first', channel: 'comment' },
      facts: factsOfPost(text),
      requireFacts: 1,
      maxLength: TEXT_LIMITS.comment,
      about: text,
      seed: `comment/${input.postUrl}`,
      action: 'ai_craft',
      nextStep: 'Call svc_craft_comment with the text of the post as postText.',
    });
    return craftTexts(ctx, input, work, NOTHING_MORE);
  },
});

/** What a signal of the workspace says of the post. @throws UserError when none does */
async function knownPost(ctx: ToolContext, url: string): Promise<string> {
  const row = await ctx.tx((tx) =>
    tx.row<{ text: string }>(
      `select coalesce(nullif(e.value ->> 'excerpt', ''), s.title) as text
       from signal s
       cross join lateral jsonb_array_elements(s.evidence) e (value)
       where (s.workspace_id = $1 or s.workspace_id is null)
         and s.type = 'new_post'
         and s.evidence @> jsonb_build_array(jsonb_build_object('url', $2::text))
         and e.value ->> 'url' = $2
       order by s.occurred_at desc limit 1`,
      [ctx.workspaceId, url],
    ),
  );
  if (row) return row.text;
  throw new UserError(
    'No signal tells what this post says. Give its text as postText, or call svc_list_signals.',
    'UnknownPost',
  );
}
