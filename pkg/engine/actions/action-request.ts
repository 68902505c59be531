import type { JsonObject } from '../../base/json.ts';
import type { DueAction } from '../../store/actions/actions.ts';
import type { ClaimRequest } from '../../store/ledger/ledger.ts';

/** How an action without a run asks the ledger. @param target what is done, and to whom */
export function actionRequest(action: DueAction, sendId: string, accountId: string, target: JsonObject): ClaimRequest {
  return {
    runId: action.id,
    sendId,
    nodeId: '',
    accountId,
    action: action.action,
    budgets: action.budgets,
    once: 'account',
    body: action.body,
    target,
  };
}
