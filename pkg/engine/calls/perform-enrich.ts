import type { JsonObject } from '../../base/json.ts';
import { enrichCredits } from '../../domain/enrich-fields.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import type { Enrichment } from '../../providers/enrichment/enrichment-provider.ts';
import { has } from '../../providers/enrichment/join-enrichment.ts';
import { enrichLead } from '../../store/node-calls.ts';
import { isLastTry } from './call-verdict.ts';
import type { Performer } from './performer.ts';

/** Asks for what is not known; writes and charges what was found, in one transaction. */
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
          await enrichLead(tx, call.leadId, fieldsOf(found), enrichment.name, now);
        },
      };
    },
  });
};

/** Columns of the lead; `profile` marks that the profile as a whole was read. */
function fieldsOf({ profile, email, emailStatus, phone }: Enrichment): JsonObject {
  return {
    ...(profile ? { ...profile, profile: true } : {}),
    ...(email ? { email } : {}),
    ...(emailStatus ? { emailStatus } : {}),
    ...(phone ? { phone } : {}),
  };
}
