/** From which state a campaign may go to which. Source: catalog stateMachines.campaign. */
export const CAMPAIGN_MOVES: Readonly<Record<string, readonly string[]>> = {
  draft: ['active', 'archived'],
  active: ['paused', 'completed'],
  paused: ['active', 'completed', 'archived'],
  completed: ['active', 'archived'],
  archived: ['draft'],
};

/**
 * The same as a CEL rule of the field. A draft whose workflow was enabled is active though its spec still says draft, and
 * it must be possible to stop it: so from a draft whatever an active campaign may do is allowed too.
 */
export function campaignMoveRule(): string {
  const moves = { ...CAMPAIGN_MOVES, draft: [...(CAMPAIGN_MOVES['draft'] ?? []), ...(CAMPAIGN_MOVES['active'] ?? [])] };
  const arms = Object.entries(moves).map(
    ([from, to]) => `oldSelf == '${from}' && self in [${to.map((one) => `'${one}'`).join(', ')}]`,
  );
  return ['self == oldSelf', ...arms].join(' || ');
}
