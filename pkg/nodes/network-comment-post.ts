import { z } from 'zod';
import { renderTemplate } from '../domain/template.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { TEMPLATE_HINT, templateText } from './config-parts.ts';
import { defineNode } from './define.ts';
import type { Draft, StepInput } from './node-type.ts';
import { notBlank } from './not-blank.ts';
import { ownDraft } from './own-draft.ts';
import { templateFactsOf } from './template-facts.ts';

/** Characters of a comment; the network's own limit. */
const MAX_COMMENT = TEXT_LIMITS.comment;

const config = z
  .strictObject({
    textMode: z.enum(['static', 'ai']).default('static'),
    text: templateText(MAX_COMMENT).optional(),
    instructions: z.string().max(2000).optional(),
    maxPostAgeDays: z.int().min(1).max(365).default(14),
  })
  .refine((given) => given.textMode !== 'static' || given.text !== undefined, {
    message: 'is required with textMode static',
    path: ['text'],
  });
type CommentConfig = z.infer<typeof config>;

function draft(input: StepInput, given: CommentConfig): Draft {
  const facts = templateFactsOf(input);
  if (given.textMode === 'static') return notBlank(renderTemplate(given.text?.parts ?? [], facts));
  return ownDraft(input);
}

/** Comments on the person's newest post that is young enough. */
export const networkCommentPost = defineNode<CommentConfig>({
  nodeType: 'network:comment_post',
  kind: 'effect',
  what: 'Comments on the latest suitable post.',
  config,
  configHint: {
    textMode: 'static|ai, default static (ai: written as by ai:craft, 1 credit by a language model)',
    text: TEMPLATE_HINT,
    instructions: 'string? (ai)',
    maxPostAgeDays: 'int, default 14',
  },
  outcomes: ['done', 'no_post', 'rejected', 'missing_data', 'failed'],
  defaultOutcome: 'done',
  budgets: () => ['comment'],
  sendOnce: 'once_per_node',
  reviewable: true,
  channel: 'comment',
  precheck: () => null,
  draft,
  details: (given) => ({ maxPostAgeDays: given.maxPostAgeDays }),
  usesAi: (given) => given.textMode === 'ai',
  writes: ({ textMode, instructions }) => (textMode === 'ai' ? { channel: 'comment', instructions } : null),
  templates: (given) => [given.text?.parts ?? []],
  maxLength: MAX_COMMENT,
  confirmedOutcome: 'done',
  refusedOutcome: (kind) => (kind === 'no_post' ? 'no_post' : 'failed'),
});
