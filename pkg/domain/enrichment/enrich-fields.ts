import { type CreditAction, creditsFor } from '../credits.ts';

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

/** Days for which what was found is fresh, where nobody says otherwise: titles change faster than phone numbers. */
export const FRESH_DAYS: Readonly<Record<EnrichField, number>> = {
  profile: 60,
  email: 90,
  email_verification: 90,
  phone: 180,
};
const DAY_MS = 86_400_000;

/** When each field became known, epoch ms product time; `hand`: a person entered it or cleared it. Absent: not known. */
export type KnownFields = Readonly<Partial<Record<EnrichField, number | 'hand'>>>;

/**
 * Which of the fields providers are asked for: those that are not known, or were found too long ago. What a person entered is never asked for.
 * @param olderThanDays null: as long as each field is fresh
 */
export function fieldsToAsk(
  fields: readonly EnrichField[],
  known: KnownFields,
  now: number,
  olderThanDays: number | null,
): EnrichField[] {
  return ENRICH_FIELDS.filter((field) => {
    if (!fields.includes(field)) return false;
    const at = known[field];
    if (at === undefined || at === 'hand') return at === undefined;
    return at < now - (olderThanDays ?? FRESH_DAYS[field]) * DAY_MS;
  });
}
