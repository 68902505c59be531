import type { Output } from '../../api/call.ts';

/** What svc_get_lead tells. */
export type LeadAnswer = Output<'svc_get_lead'>;
export type Lead = LeadAnswer['lead'];
