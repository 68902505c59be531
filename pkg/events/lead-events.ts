import { z } from 'zod';
import type { EventDefinition } from './event-definition.ts';
import { id, ids, LEAD_SAMPLE } from './ids.ts';

const scope = 'leads:read';

/** What happens to leads; an import, a rescore and an enrolment tell of a chunk. */
export const LEAD_EVENTS = {
  'lead.created': {
    says: 'Leads came into the workspace.',
    deed: 'an upsert, an import or a source stores leads that were not there',
    scope,
    data: z.strictObject({ leadIds: ids }),
    sample: { leadIds: [LEAD_SAMPLE] },
  },
  'lead.enriched': {
    says: 'Fields of a lead were found.',
    deed: 'an enrichment finds fields of a lead',
    scope,
    data: z.strictObject({ leadId: id }),
    sample: { leadId: LEAD_SAMPLE },
  },
  'lead.score_changed': {
    says: 'Scores of leads in a campaign changed.',
    deed: 'scoring changes the total of leads',
    scope,
    data: z.strictObject({ campaignId: id, leadIds: ids }),
    sample: { campaignId: 'spring-launch', leadIds: [LEAD_SAMPLE] },
  },
  'lead.entered_campaign': {
    says: 'Leads were enrolled in a campaign.',
    deed: 'an enrolment gives leads a live run',
    scope,
    data: z.strictObject({ campaignId: id, workflowId: id, leadIds: ids }),
    sample: { campaignId: 'spring-launch', workflowId: 'intro-sequence', leadIds: [LEAD_SAMPLE] },
  },
  'lead.left_campaign': {
    says: 'Leads left a campaign: their last live run there ended.',
    deed: 'the last live run of a lead in a campaign ends',
    scope,
    data: z.strictObject({ campaignId: id, leadIds: ids }),
    sample: { campaignId: 'spring-launch', leadIds: [LEAD_SAMPLE] },
  },
  'lead.erased': {
    says: 'A lead was erased; only its id is left.',
    deed: 'a lead is erased',
    scope,
    data: z.strictObject({ leadId: id }),
    sample: { leadId: LEAD_SAMPLE },
  },
} as const satisfies Record<string, EventDefinition>;
