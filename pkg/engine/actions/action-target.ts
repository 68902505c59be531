import type { JsonObject } from '../../base/json.ts';
import { messageIdOf } from '../../providers/mail/message-id.ts';
import type { DueAction } from '../../store/actions/actions.ts';
import type { AccountRow, LeadBasics, RelationRow } from '../../store/runs/batch-facts.ts';
import { targetOf } from '../ledger/effect-target.ts';

/** What the request of an action is about: the person as the account knows them, and what was asked for. */
export function actionTarget(
  action: DueAction,
  sendId: string,
  known: { lead: LeadBasics; relation: RelationRow | undefined; account: AccountRow },
): JsonObject {
  if (known.account.kind === 'mail')
    return { messageId: messageIdOf(sendId, known.account.externalId), ...action.target };
  return { ...targetOf(known.lead, known.relation), ...action.target };
}
