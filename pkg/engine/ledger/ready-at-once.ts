import { actionRow } from '../../domain/actions.ts';
import type { ClaimRequest } from '../../store/ledger/ledger.ts';
import { targetText } from './target-text.ts';

/** Whether an effect can do no harm and has nothing to wait for between its claim and its dispatch: it may be dispatched with its claim. */
export function isReadyAtOnce({ action, target }: Pick<ClaimRequest, 'action' | 'target'>): boolean {
  return actionRow(action)?.atOnce === true && targetText(target, 'providerId') !== null;
}
