import { ALL_SCOPES, TENANT_SCOPES } from '../../domain/scopes.ts';
import type { Tx } from '../../postgres/database.ts';
import { endSessionsOfUser } from '../console/console-sessions.ts';
import { removePasskeysOf } from '../console/passkeys.ts';
import { createApiKey } from './api-keys.ts';

/** Who gets a key. */
export interface KeyFor {
  email: string;
  /** Whether the other user keys of theirs end, as when they are lost, and with them their sessions of the console and their passkeys. */
  revokeOthers: boolean;
  /** Of the key. */
  id: string;
  /** Epoch ms UTC, product time. */
  now: number;
}

/**
 * A key of somebody who can't make one: the owner whom a new workspace names never had one, and who lost theirs has none to make
 * another with. For the platform's operator, who knows to whom they hand it. @returns undefined when nobody has the address
 */
export async function giveUserKey(
  tx: Tx,
  { email, revokeOthers, id, now }: KeyFor,
): Promise<{ userId: string; key: string; revoked: number } | undefined> {
  const user = await tx.row<{ id: string; platform_admin: boolean }>(
    'select id, platform_admin from app_user where lower(email) = lower($1) and not unproven',
    [email],
  );
  if (!user) return undefined;
  const revoked = revokeOthers
    ? await tx.exec('update api_key set revoked_at = $2 where user_id = $1 and revoked_at is null', [user.id, now])
    : 0;
  if (revokeOthers) await signOutForGood(tx, user.id);
  const { plaintext } = await createApiKey(tx, {
    id,
    keyType: 'user',
    userId: user.id,
    workspaceId: null,
    name: 'given by the platform',
    scopes: user.platform_admin ? ALL_SCOPES : TENANT_SCOPES,
    createdBy: user.id,
    now,
  });
  return { userId: user.id, key: plaintext, revoked };
}

/** The one who got hold of a key may have signed in elsewhere, and made a passkey there. */
async function signOutForGood(tx: Tx, userId: string): Promise<void> {
  await endSessionsOfUser(tx, userId);
  await removePasskeysOf(tx, userId);
}
