import type { ClaimRequest } from '../../store/ledger/ledger.ts';
import { targetText } from './target-text.ts';

/** Harmless actions for which prepare-effect.ts learns nothing but the person's id. */
const READY: readonly string[] = ['profile_view', 'follow'];

/** Whether an effect can do no harm and has nothing to wait for between its claim and its dispatch: it may be dispatched with its claim. */
export function isReadyAtOnce({ action, target }: Pick<ClaimRequest, 'action' | 'target'>): boolean {
  return READY.includes(action) && targetText(target, 'providerId') !== null;
}
