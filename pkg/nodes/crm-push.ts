import { z } from 'zod';
import { renderTemplate } from '../domain/template.ts';
import { recordId, TEMPLATE_HINT, templateText } from './config-parts.ts';
import { defineNode } from './define.ts';
import type { StepInput } from './node-type.ts';
import { outsideContact } from './outside-contact.ts';
import { templateFactsOf } from './template-facts.ts';

const config = z.strictObject({
  integrationId: recordId,
  object: z.enum(['contact', 'lead', 'deal', 'task']).default('contact'),
  fields: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,99}$/, 'a field has 1 to 100 letters, digits and _'),
      templateText(4000),
    )
    .refine((fields) => Object.keys(fields).length <= 50, 'at most 50 fields')
    .default({}),
});
type CrmConfig = z.infer<typeof config>;

/** The given fields; one whose value is not known is left out, so that nothing in the CRM is overwritten by a gap. */
function fieldsOf(input: StepInput, given: CrmConfig): Record<string, string> {
  const facts = templateFactsOf(input);
  const rendered = Object.entries(given.fields).map(
    ([name, value]) => [name, renderTemplate(value.parts, facts)] as const,
  );
  return Object.fromEntries(rendered.flatMap(([name, value]) => ('text' in value ? [[name, value.text]] : [])));
}

/** Creates or updates the lead in a CRM, once per integration, lead and object. */
export const crmPush = defineNode<CrmConfig>({
  nodeType: 'crm:push',
  kind: 'call',
  what: 'Creates or updates the lead in a CRM.',
  config,
  configHint: {
    integrationId: 'string',
    object: 'contact|lead|deal|task, default contact',
    fields: `object: field of the CRM -> ${TEMPLATE_HINT.replace('blocks the step (outcome missing_data), it never sends an empty gap', 'leaves that field out')}`,
  },
  outcomes: ['done', 'failed'],
  defaultOutcome: 'done',
  budget: null,
  billable: null,
  repeatable: false,
  outward: 'crm',
  onceKey: (input, given) => `crm:${given.integrationId}:${input.lead.leadId}:${given.object}`,
  ask: (input, given) => ({
    call: 'crm',
    integrationId: given.integrationId,
    object: given.object,
    fields: fieldsOf(input, given),
    contact: outsideContact(input.lead),
  }),
  price: () => null,
  noCreditsOutcome: null,
  seenOutcome: null,
  failedOutcome: 'failed',
});
