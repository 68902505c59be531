import type { MessageServices } from '../handle-message.ts';

/** What happens at the console's door, as the audit log names it beside the tools. */
export type DoorDeed =
  | 'console_sign_in_by_claim'
  | 'console_sign_in_by_mail'
  | 'console_sign_in_by_oidc'
  | 'console_sign_in_by_passkey'
  | 'console_sign_out'
  | 'console_add_passkey'
  | 'console_remove_passkey';

/** Leaves a record of it. @param about ids of what it made or ended */
export function auditDoor(
  { audit, ids, clocks }: Pick<MessageServices, 'audit' | 'ids' | 'clocks'>,
  deed: DoorDeed,
  { userId, requestId, about = [] }: { userId: string; requestId: string; about?: readonly string[] },
): void {
  audit.append({
    id: ids.uuid(),
    at: clocks.product.now(),
    actorKind: 'console',
    actorId: userId,
    keyPrefix: 'console',
    tool: deed,
    workspaceId: null,
    outcome: 'ok',
    calls: 1,
    durationUs: 0,
    inputHash: '',
    recordIds: about,
    requestId,
  });
}
