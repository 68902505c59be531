import { z } from 'zod';
import { ENRICH_FIELDS, type EnrichField, enrichCredits, fieldsToAsk } from '../domain/enrichment/enrich-fields.ts';
import { defineNode } from './define.ts';
import type { StepInput } from './node-type.ts';
import { outsideContact } from './outside-contact.ts';

const config = z.strictObject({
  fields: z.array(z.enum(ENRICH_FIELDS)).min(1).max(ENRICH_FIELDS.length),
  // Absent: as long as each field is fresh.
  refreshOlderThanDays: z.int().min(0).max(365).optional(),
});
type EnrichConfig = z.infer<typeof config>;

/** What is not known, or was found too long ago; the rest is free. */
function wanted(input: StepInput, given: EnrichConfig): EnrichField[] {
  return fieldsToAsk(given.fields, input.enriched ?? {}, input.now, given.refreshOlderThanDays ?? null);
}

/** Fills fields of the lead; charged only for what is found, known and fresh fields are free. */
export const leadEnrich = defineNode<EnrichConfig>({
  nodeType: 'lead:enrich',
  kind: 'call',
  what: 'Fills fields; charged only for what is found.',
  config,
  configHint: {
    fields: '(profile|email|email_verification|phone)[]',
    refreshOlderThanDays: 'int, default by field: email and email_verification 90, profile 60, phone 180',
  },
  outcomes: ['done', 'not_found', 'no_credits', 'failed'],
  defaultOutcome: 'done',
  budget: 'profile_scrape',
  billable: 'lead_enrich',
  repeatable: true,
  outward: null,
  onceKey: (input) => `enrich:${input.runId}:${input.node.nodeId}`,
  ask: (input, given) => {
    const fields = wanted(input, given);
    if (fields.length === 0) return { outcome: 'done', reason: 'everything is known and fresh' };
    return { call: 'enrich', fields, contact: outsideContact(input.lead) };
  },
  price: (given) => ({ action: 'lead_enrich', credits: enrichCredits(given.fields) }),
  charge: (input, given) => ({ action: 'lead_enrich', credits: enrichCredits(wanted(input, given)) }),
  noCreditsOutcome: 'no_credits',
  seenOutcome: null,
  failedOutcome: 'failed',
});
