import { z } from 'zod';
import { budgetsOf } from '../domain/actions.ts';
import { craftLabels, literalLength, renderTemplate } from '../domain/template.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { TEMPLATE_HINT, templateText } from './config-parts.ts';
import { defineNode } from './define.ts';
import type { Draft, RefusalKind, StepInput } from './node-type.ts';
import { ownDraft } from './own-draft.ts';
import { templateFactsOf } from './template-facts.ts';

/** Characters of a note; catalog and the network's own limit. */
const MAX_NOTE = TEXT_LIMITS.note;

const instructions = z.string().max(2000).optional();
const config = z
  .strictObject({
    noteMode: z.enum(['none', 'static', 'ai']).default('none'),
    noteTemplate: templateText(2000).optional(),
    instructions,
  })
  .refine((given) => given.noteMode !== 'static' || given.noteTemplate !== undefined, {
    message: 'is required with noteMode static',
    path: ['noteTemplate'],
  })
  .refine((given) => literalLength(given.noteTemplate?.parts ?? []) <= MAX_NOTE, {
    message: `is longer than ${MAX_NOTE} characters even without its placeholders`,
    path: ['noteTemplate'],
  });
type RequestConfig = z.infer<typeof config>;

function precheck(input: StepInput): string | null {
  if (input.facts.connected) return 'already_connected';
  return input.facts.requestedAt === undefined ? null : 'already_pending';
}

function draft(input: StepInput, given: RequestConfig): Draft | null {
  if (given.noteMode === 'none') return null;
  const facts = templateFactsOf(input);
  if (given.noteMode === 'ai') return ownDraft(input);
  return renderTemplate(given.noteTemplate?.parts ?? [], facts);
}

function refusedOutcome(kind: RefusalKind): string {
  return kind === 'already_connected' || kind === 'already_pending' ? kind : 'failed';
}

/** Asks to connect; one request per account and person for ever. */
export const networkConnectionRequest = defineNode<RequestConfig>({
  nodeType: 'network:connection_request',
  kind: 'effect',
  what: 'Asks to connect.',
  config,
  configHint: {
    noteMode: 'none|static|ai, default none (ai: written as by ai:craft, 1 credit by a language model)',
    noteTemplate: `static: ${TEMPLATE_HINT}, <= 300 characters rendered (200 through a basic account); a note crafted before is {{craft:<label>}}`,
    instructions: 'string? (ai)',
  },
  outcomes: ['sent', 'already_connected', 'already_pending', 'rejected', 'missing_data', 'failed'],
  defaultOutcome: 'sent',
  budgets: (given, text) =>
    budgetsOf('connection_request', text === undefined ? given.noteMode !== 'none' : Boolean(text)),
  sendOnce: 'once_per_account',
  reviewable: true,
  channel: 'note',
  precheck,
  draft,
  usesAi: (given) => given.noteMode === 'ai' || craftLabels(given.noteTemplate?.parts ?? []).length > 0,
  writes: ({ noteMode, instructions }) => (noteMode === 'ai' ? { channel: 'note', instructions } : null),
  templates: (given) => [given.noteTemplate?.parts ?? []],
  maxLength: MAX_NOTE,
  confirmedOutcome: 'sent',
  refusedOutcome,
});
