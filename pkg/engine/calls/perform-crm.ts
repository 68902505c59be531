import type { CallAsk } from '../../nodes/call-ask.ts';
import { CallError } from '../../providers/call-error.ts';
import { notePushed } from '../../store/integrations/integration-objects.ts';
import { integrationAccess } from './access.ts';
import type { Performed, Performer } from './performer.ts';

/** Creates or updates the lead in a CRM; a try whose answer is lost is looked for before anything is written again. */
export const performCrm: Performer = async (deps, call) => {
  const { integrationId, object, fields, contact } = call.ask as Extract<CallAsk, { call: 'crm' }>;
  const { row, credentials } = await integrationAccess(deps, integrationId);
  const crm = deps.outside.crms[row.provider];
  if (!crm) throw new CallError('refused', `pushes into ${row.provider} do not work yet`);
  const url = row.url || crm.url;
  const oauth = credentials['oauth'] !== undefined;
  const access = { url, token: credentials['token'] ?? '', oauth, reach: deps.outside.reachOf(url) };
  const settleAfterMs = settleOf(access.reach, crm.settleAfterMs);
  const mark = `outrider${call.leadId.replaceAll('-', '')}`;
  const push = { object, fields, contact, mark, at: deps.clock.now() };
  const written = crm.written(push);
  const doneAs = (externalId: string): Performed => ({
    outcome: 'done',
    ref: externalId,
    // Who the lead is there, and what we wrote: what comes back of it is no news.
    async also(tx, now) {
      if (Object.keys(written).length > 0)
        await notePushed(tx, { integrationId, externalId, leadId: call.leadId, written, now });
      return undefined;
    },
  });
  return {
    integrationId,
    settleAfterMs,
    async perform({ signal, deadlineMonotonicMs }) {
      return doneAs(await crm.push(access, push, { signal, deadlineMonotonicMs }));
    },
    async lookUp(signal) {
      const id = await crm.find(access, push, { signal });
      return id === null ? null : doneAs(id);
    },
  };
};

/** The sandbox's lists do not lag; a proxy before the real ones shows what they show. */
const SANDBOX_SETTLE_MS = 2_000;

/** Real ms after which a look-up that finds nothing counts. */
export function settleOf(reach: 'public' | 'any', providersMs: number): number {
  return reach === 'any' ? SANDBOX_SETTLE_MS : providersMs;
}
