import { z } from 'zod';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';
import { outsideContact } from './outside-contact.ts';

const config = z.strictObject({ integrationId: recordId, externalCampaignId: z.string().min(1).max(200) });

/** Adds the lead to a campaign of another outreach platform, once per integration, campaign and lead. */
export const outreachPush = defineNode<z.infer<typeof config>>({
  nodeType: 'outreach:push',
  kind: 'call',
  what: 'Adds the lead to a campaign of another outreach platform.',
  config,
  configHint: { integrationId: 'string', externalCampaignId: 'string' },
  outcomes: ['done', 'duplicate', 'failed'],
  defaultOutcome: 'done',
  budget: null,
  billable: null,
  repeatable: false,
  outward: 'outreach',
  onceKey: (input, given) => `outreach:${given.integrationId}:${given.externalCampaignId}:${input.lead.leadId}`,
  ask: (input, given) => {
    if (!input.lead.email) return { outcome: 'failed', reason: 'the lead has no mail address' };
    return { call: 'outreach', ...given, contact: outsideContact(input.lead) };
  },
  price: () => null,
  noCreditsOutcome: null,
  seenOutcome: 'duplicate',
  failedOutcome: 'failed',
});
