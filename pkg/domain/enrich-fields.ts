import { type CreditAction, creditsFor } from './credits.ts';

export const ENRICH_FIELDS = ['profile', 'email', 'email_verification', 'phone'] as const;
/** What an enrichment may fill. Catalog, node type lead:enrich. */
export type EnrichField = (typeof ENRICH_FIELDS)[number];

const PRICES: Readonly<Record<EnrichField, CreditAction>> = {
  profile: 'lead_enrich_profile',
  email: 'lead_enrich_email',
  email_verification: 'lead_enrich_email_verification',
  phone: 'lead_enrich_phone',
};

/** Credits of these fields, each when found. Source: catalog `creditCosts`. */
export function enrichCredits(fields: readonly EnrichField[]): number {
  return fields.reduce((sum, field) => sum + creditsFor(PRICES[field], 1), 0);
}
