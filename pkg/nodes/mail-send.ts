import { z } from 'zod';
import { replySubject } from '../domain/mail-thread.ts';
import { craftLabels, renderTemplate, type TemplateFacts } from '../domain/template.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { mailText, TEMPLATE_HINT, templateText } from './config-parts.ts';
import { defineNode } from './define.ts';
import type { Draft, LeadFacts, RunFacts, StepInput } from './node-type.ts';
import { notBlank } from './not-blank.ts';
import { ownDraft } from './own-draft.ts';
import { subjectDraft } from './subject-draft.ts';
import { templateFactsOf } from './template-facts.ts';

/** Characters of a mail and of its subject. */
const MAX_MAIL = TEXT_LIMITS.mail;
const MAX_SUBJECT = 200;

const config = z
  .strictObject({
    subject: templateText(MAX_SUBJECT).optional(),
    textMode: z.enum(['static', 'ai', 'craft']).default('static'),
    text: mailText(MAX_MAIL).optional(),
    instructions: z.string().max(2000).optional(),
    threadMode: z.enum(['new', 'reply']).optional(),
    mailboxMode: z.enum(['sticky', 'rotate']).default('sticky'),
    unsubscribe: z.enum(['header', 'header_and_link']).default('header_and_link'),
    uncertainAddress: z.enum(['not_first', 'always', 'never']).default('not_first'),
  })
  .refine((given) => given.textMode === 'ai' || given.text !== undefined, {
    message: 'is required with textMode static and craft',
    path: ['text'],
  })
  .refine((given) => given.textMode !== 'craft' || craftLabels(given.text?.parts ?? []).length > 0, {
    message: 'needs {{craft:<label of an ai:craft node>}} with textMode craft',
    path: ['text'],
  })
  .refine((given) => given.threadMode === 'reply' || given.subject !== undefined, {
    message: 'is required unless threadMode is reply',
    path: ['subject'],
  });
type MailConfig = z.infer<typeof config>;

const templatesOf = (given: MailConfig) => [given.subject?.parts ?? [], given.text?.parts ?? []];

/** The thread that the mail goes into; null: it opens one, as for the one who reads at another address and knows none. */
function threadOf({ facts: { mail }, lead }: StepInput, given: MailConfig) {
  if (given.threadMode === 'new' || !mail) return null;
  const knows = mail.to === undefined || mail.to.toLowerCase() === lead.email?.toLowerCase();
  return knows ? mail : null;
}

/** What a new thread is about; null: nobody says it. */
function subjectOf({ facts: { mail } }: StepInput, { subject }: MailConfig, facts: TemplateFacts): Draft | null {
  if (subject) return renderTemplate(subject.parts, facts);
  return mail ? { text: mail.subject } : null;
}

function draft(input: StepInput, given: MailConfig): Draft {
  const facts = templateFactsOf(input);
  const text = given.textMode !== 'ai' ? notBlank(renderTemplate(given.text?.parts ?? [], facts)) : ownDraft(input);
  const thread = threadOf(input, given);
  if (thread) return subjectDraft({ text: replySubject(thread) }, text, MAX_SUBJECT);
  const subject = subjectOf(input, given, facts);
  return subject ? subjectDraft(subject, text, MAX_SUBJECT) : { missing: ['subject'] };
}

/** Addresses of which a verification could not say that somebody reads them: their servers take everything, or may not. */
const UNCERTAIN: readonly string[] = ['catch_all', 'risky'];

/** Mails that come back cost the mailbox its good name, so that nobody is met at an uncertain address unless the node says so. */
function uncertain({ emailStatus = '' }: LeadFacts, { touches = 0 }: RunFacts, { uncertainAddress }: MailConfig) {
  if (!UNCERTAIN.includes(emailStatus) || uncertainAddress === 'always') return null;
  if (uncertainAddress === 'not_first' && touches > 0) return null;
  return { outcome: 'no_email', reason: `its address is ${emailStatus}, and uncertainAddress is ${uncertainAddress}` };
}

/** Sends a mail to the lead's address. */
export const mailSend = defineNode<MailConfig>({
  nodeType: 'mail:send',
  kind: 'effect',
  what: 'Sends a mail from a linked mailbox, in the thread of the previous one.',
  config,
  configHint: {
    subject: `${TEMPLATE_HINT}; may be left out with threadMode reply`,
    textMode:
      'static|ai|craft, default static (ai: written as by ai:craft, 1 credit by a language model; craft: text with {{craft:<label>}})',
    text: `${TEMPLATE_HINT}; {{unsubscribe_url}} where the one link shall stand`,
    instructions: 'string? (ai)',
    threadMode: 'new|reply, default reply after the first',
    mailboxMode: 'sticky|rotate, default sticky',
    unsubscribe: 'header|header_and_link, default header_and_link',
    uncertainAddress:
      'not_first|always|never, default not_first (an address of the status catch_all or risky takes no_email as a first touch)',
  },
  outcomes: ['sent', 'no_email', 'bounced_before', 'rejected', 'missing_data', 'failed'],
  defaultOutcome: 'sent',
  budgets: () => ['mail'],
  sendOnce: 'once_per_node',
  reviewable: true,
  channel: 'mail',
  // Of the address that is known now: a mail that came back from another one says nothing of it.
  precheck: ({ lead, facts }, given) => {
    if (!lead.email) return 'no_email';
    return lead.mailBounced ? 'bounced_before' : uncertain(lead, facts, given);
  },
  draft,
  details: (given, input) => ({
    to: input.lead.email ?? '',
    link: given.unsubscribe === 'header_and_link',
    references: [...(threadOf(input, given)?.references ?? [])],
  }),
  rotates: (given) => given.mailboxMode === 'rotate',
  usesAi: (given) => given.textMode !== 'static' || craftLabels(templatesOf(given).flat()).length > 0,
  writes: ({ textMode, instructions }) => (textMode === 'ai' ? { channel: 'mail', instructions } : null),
  templates: templatesOf,
  maxLength: MAX_MAIL,
  confirmedOutcome: 'sent',
  refusedOutcome: () => 'failed',
});
