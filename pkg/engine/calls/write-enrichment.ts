import type { JsonObject } from '../../base/json.ts';
import { type EnrichField, enrichCredits } from '../../domain/enrich-fields.ts';
import type { Tx } from '../../postgres/database.ts';
import type { Enrichment } from '../../providers/enrichment/enrichment-provider.ts';
import { has } from '../../providers/enrichment/join-enrichment.ts';
import { enrichLead } from '../../store/calls/node-calls.ts';

/** The name under which `enrichLead` tells that a field was written. */
const WRITTEN_AS: Readonly<Record<EnrichField, string>> = {
  profile: 'profile',
  email: 'email',
  email_verification: 'emailStatus',
  phone: 'phone',
};

/** Which of the asked fields were found. */
export function foundOf(found: Enrichment, fields: readonly EnrichField[]): EnrichField[] {
  return fields.filter((field) => has(found, field));
}

/**
 * Writes what was found into the lead: all that may be. What belongs to another lead, or to a person who was erased, is left out.
 * @param now epoch ms, product time
 * @returns the asked fields that were written, and what they cost
 */
export async function writeEnrichment(
  tx: Tx,
  leadId: string,
  of: { found: Enrichment; fields: readonly EnrichField[]; source: string; now: number },
): Promise<{ kept: EnrichField[]; credits: number }> {
  const written = await enrichLead(tx, leadId, columnsOf(of.found), of.source, of.now);
  const kept = foundOf(of.found, of.fields).filter((field) => written.includes(WRITTEN_AS[field]));
  return { kept, credits: enrichCredits(kept) };
}

/** Columns of the lead; `profile` marks that the profile as a whole was read. */
function columnsOf({ profile, email, emailStatus, phone }: Enrichment): JsonObject {
  return {
    ...(profile ? { ...profile, profile: true } : {}),
    ...(email ? { email } : {}),
    ...(emailStatus ? { emailStatus } : {}),
    ...(phone ? { phone } : {}),
  };
}
