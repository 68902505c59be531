import { z } from 'zod';
import { craftLabels, renderTemplate } from '../domain/template.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { TEMPLATE_HINT, templateText } from './config-parts.ts';
import { defineNode, NODE_TYPES_VERSION } from './define.ts';
import type { Draft, StepInput } from './node-type.ts';
import { notBlank } from './not-blank.ts';
import { ownDraft } from './own-draft.ts';
import { templateFactsOf } from './template-facts.ts';

/** Characters of a message on the network. */
const MAX_MESSAGE = TEXT_LIMITS.message;

const config = z
  .strictObject({
    textMode: z.enum(['static', 'ai', 'craft']).default('static'),
    text: templateText(MAX_MESSAGE).optional(),
    instructions: z.string().max(2000).optional(),
    attachmentUrl: z
      .never({ error: `attachments do not work yet in node vocabulary ${NODE_TYPES_VERSION}` })
      .optional(),
  })
  .refine((given) => given.textMode === 'ai' || given.text !== undefined, {
    message: 'is required with textMode static and craft',
    path: ['text'],
  })
  .refine((given) => given.textMode !== 'craft' || craftLabels(given.text?.parts ?? []).length > 0, {
    message: 'needs {{craft:<label of an ai:craft node>}} with textMode craft',
    path: ['text'],
  });
type MessageConfig = z.infer<typeof config>;

/**
 * Known to be no connection, or asked and not accepted yet. Without any knowledge the provider decides: its refusal
 * proves that nothing was sent and takes the same outcome.
 */
function precheck(input: StepInput): string | null {
  const { connected, requestedAt } = input.facts;
  if (connected) return null;
  return connected === false || requestedAt !== undefined ? 'not_connected' : null;
}

function draft(input: StepInput, given: MessageConfig): Draft {
  const facts = templateFactsOf(input);
  if (given.textMode !== 'ai') return notBlank(renderTemplate(given.text?.parts ?? [], facts));
  return ownDraft(input);
}

/** Messages a first-degree connection. */
export const networkMessage = defineNode<MessageConfig>({
  nodeType: 'network:message',
  kind: 'effect',
  what: 'Messages a first-degree connection.',
  config,
  configHint: {
    textMode:
      'static|ai|craft, default static (ai: written as by ai:craft, 1 credit by a language model; craft: text with {{craft:<label>}})',
    text: TEMPLATE_HINT,
    instructions: 'string? (ai)',
  },
  outcomes: ['sent', 'not_connected', 'rejected', 'missing_data', 'failed'],
  defaultOutcome: 'sent',
  budgets: () => ['message'],
  sendOnce: 'once_per_node',
  reviewable: true,
  channel: 'message',
  precheck,
  draft,
  usesAi: (given) => given.textMode !== 'static' || craftLabels(given.text?.parts ?? []).length > 0,
  writes: ({ textMode, instructions }) => (textMode === 'ai' ? { channel: 'message', instructions } : null),
  templates: (given) => [given.text?.parts ?? []],
  maxLength: MAX_MESSAGE,
  confirmedOutcome: 'sent',
  refusedOutcome: (kind) => (kind === 'not_connected' ? 'not_connected' : 'failed'),
});
