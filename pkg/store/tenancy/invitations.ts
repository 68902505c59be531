import { createHash, randomBytes } from 'node:crypto';
import type { Ids } from '../../base/ids.ts';
import { TENANT_SCOPES } from '../../domain/scopes.ts';
import type { MemberRole } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { createApiKey, findKey, hashKey } from './api-keys.ts';

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
}

/** What became of an attempt to accept. */
export type Acceptance =
  | { kind: 'accepted'; invitation: OpenInvitation; memberId: string; key: string | null }
  /** Accepted and used before, revoked, expired, or never made. */
  | { kind: 'gone' }
  /** The address has a user, who must prove to be it. */
  | { kind: 'needs_key'; email: string };

/** A new token; only its hash is stored. */
export function newInvitationToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The invitation that a token opens, locked until the transaction ends. Needs a platform transaction. */
export function openInvitation(tx: Tx, token: string, now: number): Promise<OpenInvitation | undefined> {
  return tx.row<OpenInvitation>(
    `select
       i.id, i.workspace_id as "workspaceId", w.name as "workspaceName", i.email, i.role,
       i.expires_at as "expiresAt"
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
 * Accepts an invitation once, and again only for who lost the answer. A new address becomes a user and gets a user key for this
 * workspace, as does a user who has no key; another proves to be it by a user key, which then opens this workspace too. Needs a
 * platform transaction.
 * @param userKey plaintext of the caller's key, if one was sent
 */
export async function acceptInvitation(
  tx: Tx,
  request: { token: string; name: string; userKey: string | undefined; ids: Ids; now: number },
): Promise<Acceptance> {
  const { token, name, userKey, ids, now } = request;
  const invitation = await openInvitation(tx, token, now);
  if (!invitation) return acceptAgain(tx, request);
  const known = await tx.row<{ id: string; keyed: boolean }>(
    `select u.id, exists (select 1 from api_key k where k.user_id = u.id and k.revoked_at is null) as keyed
     from app_user u where lower(u.email) = lower($1)`,
    [invitation.email],
  );
  // Of a new address no key can be theirs: one that came along opens nothing here, and they get their own.
  const key = known && userKey !== undefined ? await findKey(tx, hashKey(userKey)) : undefined;
  // Who has no key left can't prove to be anybody; as a new address they get one that opens this workspace alone.
  if (known?.keyed && key?.user?.id !== known.id) return { kind: 'needs_key', email: invitation.email };
  const userId = known?.id ?? ids.uuid();
  if (!known) {
    const made = await tx.exec(
      'insert into app_user (id, name, email, created_at) values ($1, $2, $3, $4) on conflict do nothing',
      [userId, name, invitation.email, now],
    );
    // Another invitation made them a user at this moment; the key was in its answer.
    if (made === 0) return { kind: 'needs_key', email: invitation.email };
  }
  const memberId = await join(tx, invitation, userId, ids.uuid(), now);
  await tx.exec('update invitation set accepted_at = $2 where id = $1', [invitation.id, now]);
  if (key) {
    await tx.exec(
      `update api_key set only_workspaces = array_append(only_workspaces, $2), generation = generation + 1
       where id = $1 and only_workspaces is not null and $2 <> all (only_workspaces)`,
      [key.id, invitation.workspaceId],
    );
    return { kind: 'accepted', invitation, memberId, key: null };
  }
  const made = await makeKey(tx, invitation, userId, { ids, now });
  return { kind: 'accepted', invitation, memberId, key: made };
}

/**
 * The answer with the key may have been lost, and nothing else ever tells it: as long as it was not used, the link gives another
 * in its place. Anyone who has the link could have had the first.
 */
async function acceptAgain(tx: Tx, { token, ids, now }: { token: string; ids: Ids; now: number }): Promise<Acceptance> {
  const given = await tx.row<OpenInvitation & { memberId: string; userId: string; keyId: string }>(
    `select
       i.id, i.workspace_id as "workspaceId", w.name as "workspaceName", i.email, i.role,
       i.expires_at as "expiresAt", m.id as "memberId", m.user_id as "userId", k.id as "keyId"
     from invitation i
     join workspace w on w.id = i.workspace_id and w.deleted_at is null
     join app_user u on lower(u.email) = lower(i.email)
     join member m on m.user_id = u.id and m.workspace_id = i.workspace_id
     join api_key k
       on k.user_id = u.id and k.created_at = i.accepted_at and k.only_workspaces = array[i.workspace_id]
     where i.token_hash = $1
       and i.revoked_at is null
       and i.expires_at > $2
       and k.last_used_at is null
       and k.revoked_at is null
     for update of i, k`,
    [hashToken(token), now],
  );
  if (!given) return { kind: 'gone' };
  await tx.exec('update api_key set revoked_at = $2 where id = $1', [given.keyId, now]);
  const key = await makeKey(tx, given, given.userId, { ids, now });
  // The next one is known by it.
  await tx.exec('update invitation set accepted_at = $2 where id = $1', [given.id, now]);
  return { kind: 'accepted', invitation: given, memberId: given.memberId, key };
}

/** A user key for this workspace alone. @returns its plaintext */
async function makeKey(
  tx: Tx,
  { workspaceId, workspaceName }: OpenInvitation,
  userId: string,
  { ids, now }: { ids: Ids; now: number },
): Promise<string> {
  const { plaintext } = await createApiKey(tx, {
    id: ids.uuid(),
    keyType: 'user',
    userId,
    workspaceId: null,
    name: `Invitation to ${workspaceName}`.slice(0, 120),
    scopes: GIVEN_SCOPES,
    createdBy: userId,
    onlyWorkspaces: [workspaceId],
    now,
  });
  return plaintext;
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

/** Somebody who is a member already keeps the role. */
async function join(tx: Tx, { workspaceId, role }: OpenInvitation, userId: string, id: string, now: number) {
  await tx.exec(
    `insert into member (id, workspace_id, user_id, role, joined_at) values ($1, $2, $3, $4, $5)
     on conflict (workspace_id, user_id) do nothing`,
    [id, workspaceId, userId, role, now],
  );
  const member = await tx.row<{ id: string }>('select id from member where workspace_id = $1 and user_id = $2', [
    workspaceId,
    userId,
  ]);
  if (!member) throw new Error('a member was made and is not there');
  return member.id;
}

/**
 * Nobody gets the platform's scopes by an invitation. The role leaves of the others what it does at each call: a key that had only
 * those of a reviewer could neither leave, nor do more once its user is more, and makes no other key that could.
 */
const GIVEN_SCOPES = TENANT_SCOPES;

/**
 * Invites somebody, or anew: the link of an invitation that is renewed stops working, since only the newest is known by
 * its hash. @param invitation `now`: epoch ms UTC, product time
 */
export async function keepInvitation(
  tx: Tx,
  invitation: {
    id: string;
    workspaceId: string;
    email: string;
    role: MemberRole;
    hash: Buffer;
    by: string;
    now: number;
  },
): Promise<{ id: string; expiresAt: number }> {
  const row = await tx.row<{ id: string; expiresAt: number }>(
    `insert into invitation as i (id, workspace_id, email, role, token_hash, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (workspace_id, lower(email)) where accepted_at is null and revoked_at is null do update set
       role = excluded.role,
       token_hash = excluded.token_hash,
       invited_by = excluded.invited_by,
       expires_at = excluded.expires_at
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
    ],
  );
  if (!row) throw new Error('an invitation was made and is not there');
  return row;
}

/** Withdraws an invitation; one that was withdrawn keeps its time. @param now epoch ms UTC, product time */
export async function revokeInvitationRow(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec('update invitation set revoked_at = coalesce(revoked_at, $2) where id = $1', [id, now]);
}
