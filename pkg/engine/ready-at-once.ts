import type { ClaimRequest } from '../store/ledger.ts';
import { HARMLESS } from './send-outcome.ts';
import { targetText } from './target-text.ts';

/** Harmless actions for which prepare-effect.ts has to learn more than the person's id. */
const PREPARED: readonly string[] = ['like', 'endorse'];

/** Whether an effect can do no harm and has nothing to wait for between its claim and its dispatch: it may be dispatched with its claim. */
export function isReadyAtOnce({ action, target }: Pick<ClaimRequest, 'action' | 'target'>): boolean {
  return HARMLESS.includes(action) && !PREPARED.includes(action) && targetText(target, 'providerId') !== null;
}
