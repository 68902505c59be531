import { type EnrichField, enrichCredits } from '../../domain/enrich-fields.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import type { CallResult } from '../../store/calls/node-calls.ts';
import { isLastTry } from './classify-call.ts';
import type { Performer } from './performer.ts';
import { foundOf, writeEnrichment } from './write-enrichment.ts';

const LEFT_OUT = 'what was found belongs to another lead, or to a person who was erased';
/** Nobody can be asked. */
export const NO_ENRICHMENT = 'no enrichment provider is configured (ENRICHMENT_PDL_KEY, ENRICHMENT_HUNTER_KEY)';

/** Asks for what is not known; writes and charges what was found and may be written, in one transaction. */
export const performEnrich: Performer = (deps, call) => {
  const { fields, contact } = call.ask as Extract<CallAsk, { call: 'enrich' }>;
  const { enrichment } = deps.outside;
  return Promise.resolve({
    async perform({ signal }) {
      if (!enrichment) return { outcome: 'failed', reason: NO_ENRICHMENT };
      const found = await enrichment.find(contact, fields, { signal, key: call.callId, last: isLastTry(call) });
      const paid = foundOf(found, fields);
      if (paid.length === 0) return { outcome: 'not_found' };
      return {
        outcome: 'done',
        data: { found: paid },
        credits: enrichCredits(paid),
        also: async (tx, now) => {
          const { kept } = await writeEnrichment(tx, call.leadId, { found, fields, source: enrichment.name, now });
          return deliveredOf(paid, kept);
        },
      };
    },
  });
};

/** What is settled instead of all that was found, when not all of it could be written. */
function deliveredOf(paid: readonly EnrichField[], kept: readonly EnrichField[]): Partial<CallResult> | undefined {
  if (kept.length === paid.length) return undefined;
  if (kept.length === 0) return { outcome: 'not_found', data: {}, credits: 0, error: LEFT_OUT };
  return { data: { found: [...kept] }, credits: enrichCredits(kept) };
}
