import type { EffectNode } from '../../nodes/node-type.ts';
import type { Advance, AdvanceContext } from '../walk/step.ts';

/** Why an action at somebody whom the network can not find fails. */
export const NO_PROFILE = 'the lead has no profile address';

/** Whether the network has nothing by which to find the person: no account, budget or reviewer changes that. */
export function isUnreachable(
  { run }: Advance,
  { snap }: AdvanceContext,
  type: EffectNode<never>,
  accountId: string | null,
): boolean {
  if (type.channel === 'mail' || snap.leads.get(run.leadId)?.profileId) return false;
  return !snap.relations.get(`${accountId}/${run.personId}`)?.providerId;
}
