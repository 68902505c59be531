import type { CallAsk } from '../../nodes/call-ask.ts';
import { CallError } from '../../providers/call-error.ts';
import { integrationAccess } from './access.ts';
import { settleOf } from './perform-crm.ts';
import type { Performer } from './performer.ts';

/** Adds the lead to a campaign of another platform; a try whose answer is lost is looked for, never repeated blindly. */
export const performOutreach: Performer = async (deps, call) => {
  const { integrationId, externalCampaignId, contact } = call.ask as Extract<CallAsk, { call: 'outreach' }>;
  const { row, credentials } = await integrationAccess(deps, integrationId);
  const platform = deps.outside.outreach[row.provider];
  if (!platform) throw new CallError('refused', `pushes into ${row.provider} do not work yet`);
  const url = row.url || platform.url;
  const access = { url, token: credentials['token'] ?? '', reach: deps.outside.reachOf(url) };
  const settleAfterMs = settleOf(access.reach, platform.settleAfterMs);
  return {
    integrationId,
    settleAfterMs,
    async perform({ signal, deadlineMonotonicMs }) {
      const added = await platform.add(access, externalCampaignId, contact, { signal, deadlineMonotonicMs });
      return { outcome: added.duplicate ? 'duplicate' : 'done', ref: added.id };
    },
    async lookUp(signal) {
      const id = await platform.find(access, externalCampaignId, contact, { signal });
      return id === null ? null : { outcome: 'done', ref: id };
    },
  };
};
