import { inputHash } from '../../store/audit/audit.ts';
import type { SignInServices } from './sign-in-services.ts';

/** What happened to a grant, as the audit log names it. */
export type GrantDeed = 'sign_in.grant' | 'sign_in.renew' | 'sign_in.end' | 'sign_in.reused';

/** Tells the audit log of a grant: who gave it, to whom, what became of it. */
export function auditGrant(
  { audit, clocks, ids }: Pick<SignInServices, 'audit' | 'clocks' | 'ids'>,
  deed: GrantDeed,
  about: { userId: string; keyId: string; clientId: string; workspaces?: readonly string[]; requestId: string },
): void {
  const { userId, keyId, clientId, workspaces = [], requestId } = about;
  audit.append({
    id: ids.uuid(),
    at: clocks.product.now(),
    actorKind: 'user',
    actorId: userId,
    keyPrefix: '',
    tool: deed,
    workspaceId: workspaces.length === 1 ? (workspaces[0] ?? null) : null,
    outcome: 'ok',
    calls: 1,
    durationUs: 0,
    inputHash: inputHash({ clientId }),
    recordIds: [keyId, ...workspaces].slice(0, 16),
    requestId,
  });
}
