import type { JsonObject } from '../../base/json.ts';
import { type EnrichField, enrichCredits } from '../../domain/enrich-fields.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import type { Enrichment } from '../../providers/enrichment/enrichment-provider.ts';
import { has } from '../../providers/enrichment/join-enrichment.ts';
import { type CallResult, enrichLead } from '../../store/calls/node-calls.ts';
import { isLastTry } from './classify-call.ts';
import type { Performer } from './performer.ts';

/** The name under which `enrichLead` tells that a field was written. */
const WRITTEN_AS: Readonly<Record<EnrichField, string>> = {
  profile: 'profile',
  email: 'email',
  email_verification: 'emailStatus',
  phone: 'phone',
};
const LEFT_OUT = 'what was found belongs to another lead, or to a person who was erased';

/** Asks for what is not known; writes and charges what was found and may be written, in one transaction. */
export const performEnrich: Performer = (deps, call) => {
  const { fields, contact } = call.ask as Extract<CallAsk, { call: 'enrich' }>;
  const { enrichment } = deps.outside;
  return Promise.resolve({
    async perform({ signal }) {
      if (!enrichment)
        return {
          outcome: 'failed',
          reason: 'no enrichment provider is configured (ENRICHMENT_PDL_KEY, ENRICHMENT_HUNTER_KEY)',
        };
      const found = await enrichment.find(contact, fields, { signal, key: call.callId, last: isLastTry(call) });
      const paid = fields.filter((field) => has(found, field));
      if (paid.length === 0) return { outcome: 'not_found' };
      return {
        outcome: 'done',
        data: { found: paid },
        credits: enrichCredits(paid),
        also: async (tx, now) => {
          const written = await enrichLead(tx, call.leadId, fieldsOf(found), enrichment.name, now);
          return deliveredOf(paid, written);
        },
      };
    },
  });
};

/** What is settled instead of all that was found, when not all of it could be written. */
function deliveredOf(paid: readonly EnrichField[], written: readonly string[]): Partial<CallResult> | undefined {
  const kept = paid.filter((field) => written.includes(WRITTEN_AS[field]));
  if (kept.length === paid.length) return undefined;
  if (kept.length === 0) return { outcome: 'not_found', data: {}, credits: 0, error: LEFT_OUT };
  return { data: { found: kept }, credits: enrichCredits(kept) };
}

/** Columns of the lead; `profile` marks that the profile as a whole was read. */
function fieldsOf({ profile, email, emailStatus, phone }: Enrichment): JsonObject {
  return {
    ...(profile ? { ...profile, profile: true } : {}),
    ...(email ? { email } : {}),
    ...(emailStatus ? { emailStatus } : {}),
    ...(phone ? { phone } : {}),
  };
}
