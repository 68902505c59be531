import { messageOf } from '../../base/errors.ts';
import type { Verdicts } from '../../domain/enrichment/attempt.ts';
import { ENRICH_FIELDS } from '../../domain/enrichment/enrich-fields.ts';
import { resultsOf } from '../../domain/enrichment/results.ts';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import { askAboutPerson, type EnrichmentDesk } from '../../providers/enrichment/ask-about.ts';
import { NO_ENRICHMENT } from '../../providers/enrichment/choose-enrichment.ts';
import { attemptLedger, type EnrichmentWork, settleEnrichment } from '../../store/enrichment/attempts.ts';
import { callDesk } from './call-desk.ts';
import type { Also } from './call-ledger.ts';
import { isLastTry } from './classify-call.ts';
import type { Performer } from './performer.ts';

const BARRED = 'nobody may be told of this person: they are excluded, or erased';
const LEFT_OUT = 'what was found is about somebody else, belongs to another lead, or was entered by hand';

/** Asks through the ledger of attempts for what is not known; writes and charges what was found and may be written, in one transaction. */
export const performEnrich: Performer = async (deps, call) => {
  const { fields, contact } = call.ask as Extract<CallAsk, { call: 'enrich' }>;
  const { callId, workspaceId, campaignId, leadId } = call;
  const enrichment = await callDesk(deps, deps.outside);
  const work = { workspaceId, campaignId, subjectId: leadId, holder: `call:${callId}` };
  const ledger = attemptLedger(
    work,
    (run) => deps.claim.tx(run),
    () => deps.clock.now(),
  );
  return {
    async perform({ signal }) {
      if (enrichment.providers.length === 0) return { outcome: 'failed', reason: NO_ENRICHMENT };
      const verdicts = await askAboutPerson(enrichment, ledger, contact, fields, {
        signal,
        last: isLastTry(call),
        told: (provider, field, outcome) => deps.metrics.enrichment.inc({ provider, field, outcome }),
      });
      const all = [...verdicts.values()];
      const waits = all.find((one) => one.kind === 'again');
      // What was found is worth more than what may come in a day.
      const isEnough = isLastTry(call) && all.some((one) => one.kind === 'found');
      if (waits?.kind === 'again' && !isEnough) throw waits.error;
      return { outcome: 'done', also: settled(work, verdicts, { contact, own: enrichment.own }) };
    },
  };
};

/** Settles each field once; what another paid for today is known and costs nothing. */
function settled(
  work: EnrichmentWork,
  verdicts: Verdicts,
  { contact, own }: { contact: OutsideContact; own: EnrichmentDesk['own'] },
): Also {
  return async (tx, now) => {
    const closed = await settleEnrichment(tx, work, resultsOf(verdicts, contact, own), now);
    const paid = closed.filter(({ state }) => state === 'found');
    const known = [...verdicts].flatMap(([field, one]) => (one.kind === 'known' && one.found ? [field] : []));
    const all = [...paid.map(({ field }) => field), ...known];
    const found = ENRICH_FIELDS.filter((field) => all.includes(field));
    const credits = closed.reduce((sum, one) => sum + one.credits, 0);
    if (found.length > 0) return { outcome: 'done', data: { found }, credits };
    const failed = [...verdicts.values()].find((one) => one.kind === 'failed');
    if (failed?.kind === 'failed')
      return { outcome: 'failed', credits: 0, error: messageOf(failed.error).slice(0, 500) };
    return { outcome: 'not_found', credits: 0, ...whyNot(verdicts) };
  };
}

function whyNot(verdicts: Verdicts): { error?: string } {
  const kinds = [...verdicts.values()].map(({ kind }) => kind);
  if (kinds.includes('found')) return { error: LEFT_OUT };
  return kinds.includes('barred') ? { error: BARRED } : {};
}
