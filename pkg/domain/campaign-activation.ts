import type { CampaignState } from './vocabulary.ts';

/** What decides whether a campaign whose spec says draft is active. */
export interface CampaignHistory {
  /** State that the spec asked for when it was last seen; null when the campaign is new. */
  specState: CampaignState | null;
  /** State in force. */
  state: CampaignState | null;
  enabledWorkflows: number;
}

/**
 * The state in force. Enabling the first workflow of a draft campaign activates it, and it stays active when the
 * workflow is disabled again; a campaign that was put back to draft (from archived) waits for the next enabling.
 * Source: design, "The custom resources"; catalog state machine `campaign`.
 */
export function effectiveState(wanted: CampaignState, history: CampaignHistory): CampaignState {
  if (wanted !== 'draft') return wanted;
  if (history.specState !== null && history.specState !== 'draft') return 'draft';
  if (history.state === 'active') return 'active';
  return history.enabledWorkflows > 0 ? 'active' : 'draft';
}
