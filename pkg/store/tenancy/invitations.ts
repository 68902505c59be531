import { createHash, randomBytes } from 'node:crypto';
import type { MemberRole } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';

/** Product ms after which an invitation can't be accepted any more. */
export const INVITATION_MS = 7 * 86_400_000;

/** An invitation that can be accepted, as who was invited sees it. */
export interface OpenInvitation {
  id: string;
  workspaceId: string;
  workspaceName: string;
  email: string;
  role: MemberRole;
  /** Epoch ms UTC, product time. */
  expiresAt: number;
  /** Whether only the mail holds the link, so that accepting by it proves the address. */
  mailed: boolean;
  /** The inviter's scopes; null: it is from the version before. */
  scopes: string[] | null;
  /** The key that invited. */
  inviterKey: string | null;
}

/** A new token; only its hash is stored. */
export function newInvitationToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** What is stored of a token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The invitation that a token opens, locked until the transaction ends. Needs a platform transaction. */
export function openInvitation(tx: Tx, token: string, now: number): Promise<OpenInvitation | undefined> {
  return tx.row<OpenInvitation>(
    `select
       i.id, i.workspace_id as "workspaceId", w.name as "workspaceName", i.email, i.role,
       i.expires_at as "expiresAt", i.mailed, i.scopes, i.inviter_key as "inviterKey"
     from invitation i
     join workspace w on w.id = i.workspace_id and w.deleted_at is null
     where i.token_hash = $1
       and i.accepted_at is null
       and i.revoked_at is null
       and i.expires_at > $2
     for update of i`,
    [hashToken(token), now],
  );
}

/**
 * Who may invite no more leaves no invitation behind that still works: a removed admin would let anybody in, themselves first.
 * @param of `inviter`: address of the user, or prefix of the workspace key; `gone`: they are no member any more, so that no invitation
 * to their own address brings them back either
 */
export async function withdrawInvitations(
  tx: Tx,
  of: { workspaceId: string; inviter: string; gone: boolean; now: number },
): Promise<void> {
  await tx.exec(
    `update invitation set revoked_at = $3
     where workspace_id = $1 and accepted_at is null and revoked_at is null
       and (lower(invited_by) = lower($2) or ($4 and lower(email) = lower($2)))`,
    [of.workspaceId, of.inviter, of.now, of.gone],
  );
}

/** The same for what a key invited that is revoked: the one who has one that leaked may have invited themselves by it. */
export async function withdrawInvitationsOfKey(tx: Tx, keyId: string, now: number): Promise<void> {
  await tx.exec(
    `update invitation set revoked_at = $2
     where inviter_key = $1 and accepted_at is null and revoked_at is null`,
    [keyId, now],
  );
}

/** What is asked of an invitation that is made or renewed. */
export interface NewInvitation {
  id: string;
  workspaceId: string;
  email: string;
  role: MemberRole;
  hash: Buffer;
  by: string;
  /** Scopes that it gives at most, unless it is mailed. */
  scopes: readonly string[];
  /** Id of the key that invites; null for internal callers. */
  inviterKey: string | null;
  mailed: boolean;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** Product ms within which the same call again is one whose answer was lost: the mail with its link is on its way. */
const SAME_CALL_MS = 60_000;

/**
 * Invites somebody, or anew: the link of an invitation that is renewed stops working, since only the newest is known by
 * its hash. One that the same key mailed a moment ago stays. @returns `kept`: whether the given token is the one that holds
 */
export async function keepInvitation(
  tx: Tx,
  invitation: NewInvitation,
): Promise<{ id: string; expiresAt: number; kept: boolean }> {
  const row = await tx.row<{ id: string; expiresAt: number }>(
    `insert into invitation as i (
       id, workspace_id, email, role, token_hash, invited_by, created_at, expires_at, scopes, inviter_key, mailed
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (workspace_id, lower(email)) where accepted_at is null and revoked_at is null do update set
       role = excluded.role,
       token_hash = excluded.token_hash,
       invited_by = excluded.invited_by,
       expires_at = excluded.expires_at,
       scopes = excluded.scopes,
       inviter_key = excluded.inviter_key,
       mailed = excluded.mailed
     where not (
       i.mailed
       and excluded.mailed
       and i.role = excluded.role
       and i.inviter_key is not distinct from excluded.inviter_key
       and i.expires_at > excluded.expires_at - ${SAME_CALL_MS}
     )
     returning id, expires_at as "expiresAt"`,
    [
      invitation.id,
      invitation.workspaceId,
      invitation.email,
      invitation.role,
      invitation.hash,
      invitation.by,
      invitation.now,
      invitation.now + INVITATION_MS,
      invitation.scopes,
      invitation.inviterKey,
      invitation.mailed,
    ],
  );
  if (row) return { ...row, kept: true };
  const open = await tx.row<{ id: string; expiresAt: number }>(
    `select id, expires_at as "expiresAt" from invitation
     where workspace_id = $1 and lower(email) = lower($2) and accepted_at is null and revoked_at is null`,
    [invitation.workspaceId, invitation.email],
  );
  if (!open) throw new Error('an invitation was made and is not there');
  return { ...open, kept: false };
}

/** Withdraws an invitation; one that was withdrawn keeps its time. @param now epoch ms UTC, product time */
export async function revokeInvitationRow(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec('update invitation set revoked_at = coalesce(revoked_at, $2) where id = $1', [id, now]);
}
