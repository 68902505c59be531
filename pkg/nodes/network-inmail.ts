import { z } from 'zod';
import { craftLabels, renderTemplate } from '../domain/template.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { TEMPLATE_HINT, templateText } from './config-parts.ts';
import { defineNode } from './define.ts';
import type { Draft, StepInput } from './node-type.ts';
import { notBlank } from './not-blank.ts';
import { ownDraft } from './own-draft.ts';
import { subjectDraft } from './subject-draft.ts';
import { templateFactsOf } from './template-facts.ts';

/** Characters of an InMail and of its subject; the network's own limits. */
const MAX_INMAIL = TEXT_LIMITS.inmail;
const MAX_SUBJECT = 200;

const config = z
  .strictObject({
    subject: templateText(MAX_SUBJECT),
    textMode: z.enum(['static', 'ai', 'craft']).default('static'),
    text: templateText(MAX_INMAIL).optional(),
    instructions: z.string().max(2000).optional(),
    openProfilesOnly: z.boolean().default(false),
  })
  .refine((given) => given.textMode === 'ai' || given.text !== undefined, {
    message: 'is required with textMode static and craft',
    path: ['text'],
  })
  .refine((given) => given.textMode !== 'craft' || craftLabels(given.text?.parts ?? []).length > 0, {
    message: 'needs {{craft:<label of an ai:craft node>}} with textMode craft',
    path: ['text'],
  });
type InMailConfig = z.infer<typeof config>;

const templatesOf = (given: InMailConfig) => [given.subject.parts, given.text?.parts ?? []];

function draft(input: StepInput, given: InMailConfig): Draft {
  const facts = templateFactsOf(input);
  const text = given.textMode !== 'ai' ? notBlank(renderTemplate(given.text?.parts ?? [], facts)) : ownDraft(input);
  return subjectDraft(renderTemplate(given.subject.parts, facts), text, MAX_SUBJECT);
}

/** Sends an InMail. A basic account has none; with openProfilesOnly no credit is ever spent. */
export const networkInmail = defineNode<InMailConfig>({
  nodeType: 'network:inmail',
  kind: 'effect',
  what: 'Sends an InMail.',
  config,
  configHint: {
    subject: TEMPLATE_HINT,
    textMode:
      'static|ai|craft, default static (ai: written as by ai:craft, 1 credit by a language model; craft: text with {{craft:<label>}})',
    text: TEMPLATE_HINT,
    instructions: 'string? (ai)',
    openProfilesOnly: 'bool, default false',
  },
  outcomes: ['sent', 'no_inmail_credits', 'rejected', 'missing_data', 'failed'],
  defaultOutcome: 'sent',
  budgets: () => ['inmail'],
  sendOnce: 'once_per_node',
  reviewable: true,
  channel: 'inmail',
  precheck: (input) => (input.account?.tier === 'basic' ? 'no_inmail_credits' : null),
  draft,
  details: (given) => ({ openProfilesOnly: given.openProfilesOnly }),
  usesAi: (given) => given.textMode !== 'static' || craftLabels(templatesOf(given).flat()).length > 0,
  writes: ({ textMode, instructions }) => (textMode === 'ai' ? { channel: 'inmail', instructions } : null),
  templates: templatesOf,
  maxLength: MAX_INMAIL,
  confirmedOutcome: 'sent',
  refusedOutcome: (kind) => (kind === 'no_credits' ? 'no_inmail_credits' : 'failed'),
});
