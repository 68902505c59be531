import type { Ids } from '../../base/ids.ts';
import { READING_SCOPES, TENANT_SCOPES } from '../../domain/scopes.ts';
import type { Tx } from '../../postgres/database.ts';
import { findSession } from '../console/console-sessions.ts';
import { createApiKey, findKey, hashKey, type KeyRecord } from './api-keys.ts';
import { hashToken, type OpenInvitation, openInvitation } from './invitations.ts';

/** What became of an attempt to accept. */
export type Acceptance =
  | {
      kind: 'accepted';
      invitation: OpenInvitation;
      memberId: string;
      key: string | null;
      /** Whether the link came by mail, so that the member has the address. */
      proven: boolean;
    }
  /** Accepted and used before, revoked, expired, or never made. */
  | { kind: 'gone' }
  /** The address has a user, who must prove to be it. */
  | { kind: 'needs_key'; email: string };

/** One attempt. */
export interface AcceptRequest {
  token: string;
  name: string;
  /** Plaintext of the caller's key, if one was sent. */
  userKey: string | undefined;
  /** What the cookie of the caller's console session holds, if their own page sent one. */
  session?: string | undefined;
  ids: Ids;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** As whom somebody accepts. */
interface Accepting {
  userId: string;
  /** The key that proved them; undefined: they get one. */
  key?: KeyRecord;
  /** They are signed in to the console, which opens this workspace by that. */
  signedIn?: true;
}

/**
 * Accepts an invitation once, and again only for who lost the answer. By the link that was mailed an address becomes a user, or proves
 * to be the one that it is by a user key, which then opens this workspace too. A link that the inviter could read proves nothing: it
 * makes a member who holds at most the inviter's scopes here, and nothing anywhere else. Needs a platform transaction.
 */
export async function acceptInvitation(tx: Tx, request: AcceptRequest): Promise<Acceptance> {
  const { token, ids, now } = request;
  const invitation = await openInvitation(tx, token, now);
  if (!invitation) return acceptAgain(tx, request);
  const who = await acceptingAs(tx, invitation, request);
  if (!who) return { kind: 'needs_key', email: invitation.email };
  const memberId = await join(tx, invitation, who.userId, ids.uuid(), now);
  await tx.exec('update invitation set accepted_at = $2, member_id = $3 where id = $1', [invitation.id, now, memberId]);
  const accepted = { kind: 'accepted' as const, invitation, memberId, proven: invitation.mailed };
  if (who.signedIn) return { ...accepted, key: null };
  if (!who.key) return { ...accepted, key: await makeKey(tx, invitation, who.userId, request) };
  await tx.exec(
    `update api_key set only_workspaces = array_append(only_workspaces, $2), generation = generation + 1
     where id = $1 and only_workspaces is not null and $2 <> all (only_workspaces)`,
    [who.key.id, invitation.workspaceId],
  );
  return { ...accepted, key: null };
}

/** As whom; undefined: the address is a user's, who must be signed in to the console or send a key. */
async function acceptingAs(
  tx: Tx,
  { email, mailed }: OpenInvitation,
  { userKey, session, name, ids, now }: AcceptRequest,
): Promise<Accepting | undefined> {
  const known = await tx.row<{ id: string; keyed: boolean }>(
    `select u.id, exists (select 1 from api_key k where k.user_id = u.id and k.revoked_at is null and k.client_id is null) as keyed
     from app_user u where lower(u.email) = lower($1) and not u.unproven`,
    [email],
  );
  // A key of another address opens nothing here: who was invited gets their own.
  const sent = userKey === undefined ? undefined : await findKey(tx, hashKey(userKey));
  const key = sent?.user?.email.toLowerCase() === email.toLowerCase() ? sent : undefined;
  if (known && key?.user?.id === known.id) return { userId: known.id, key };
  if (known && session !== undefined && (await findSession(tx, session))?.user.id === known.id)
    return { userId: known.id, signedIn: true };
  // By a mailed link who has no key proves the address, and gets one that opens this workspace alone. Any other link would make a second
  // user of an address that is somebody's.
  if (known) return mailed && !known.keyed ? { userId: known.id } : undefined;
  if (key?.user && !mailed) return { userId: key.user.id, key };
  if (key?.user) {
    await tx.exec('update app_user set unproven = false where id = $1', [key.user.id]);
    return { userId: key.user.id, key };
  }
  return makeUser(tx, { email, name, ids, now, proven: mailed });
}

/** @returns undefined when another invitation made them a user at this moment; the key was in its answer */
async function makeUser(
  tx: Tx,
  user: { email: string; name: string; ids: Ids; now: number; proven?: boolean },
): Promise<Accepting | undefined> {
  const userId = user.ids.uuid();
  const made = await tx.exec(
    `insert into app_user (id, name, email, created_at, unproven) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [userId, user.name, user.email, user.now, !user.proven],
  );
  return made === 0 ? undefined : { userId };
}

/**
 * Somebody who is a member already keeps the role; the mailed link takes their limit away. A member who only said to have the address
 * makes room for the one who proved it.
 */
async function join(tx: Tx, invitation: OpenInvitation, userId: string, id: string, now: number): Promise<string> {
  const { workspaceId, role, email, mailed, inviterKey } = invitation;
  if (mailed) {
    await tx.exec(
      `delete from member m
       using app_user u
       where m.workspace_id = $1
         and u.id = m.user_id
         and u.id <> $2
         and u.unproven
         and lower(u.email) = lower($3)`,
      [workspaceId, userId, email],
    );
  }
  const member = await tx.row<{ id: string }>(
    `insert into member as m (id, workspace_id, user_id, role, joined_at, scope_limit, made_by_key)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (workspace_id, user_id) do update set scope_limit = case when $8 then null else m.scope_limit end
     returning m.id`,
    [id, workspaceId, userId, role, now, limitOf(invitation), inviterKey, mailed],
  );
  if (!member) throw new Error('a member was made and is not there');
  return member.id;
}

/** What a member may at most; null: all that their keys carry. One from the version before does not say who invited: it reads. */
function limitOf({ mailed, scopes }: OpenInvitation): readonly string[] | null {
  return mailed ? null : (scopes ?? READING_SCOPES);
}

/**
 * The answer with the key may have been lost, and nothing else ever tells it: as long as it was not used, the link gives another
 * in its place. Anyone who has the link could have had the first.
 */
async function acceptAgain(tx: Tx, request: AcceptRequest): Promise<Acceptance> {
  const { token, now } = request;
  const given = await tx.row<OpenInvitation & { memberId: string; userId: string; keyId: string }>(
    `select
       i.id, i.workspace_id as "workspaceId", w.name as "workspaceName", i.email, i.role,
       i.expires_at as "expiresAt", i.mailed, i.scopes, i.inviter_key as "inviterKey",
       m.id as "memberId", m.user_id as "userId", k.id as "keyId"
     from invitation i
     join workspace w on w.id = i.workspace_id and w.deleted_at is null
     join member m on m.id = i.member_id
     join api_key k
       on k.user_id = m.user_id and k.created_at = i.accepted_at and k.only_workspaces = array[i.workspace_id]
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
  const key = await makeKey(tx, given, given.userId, request);
  // The next one is known by it.
  await tx.exec('update invitation set accepted_at = $2 where id = $1', [given.id, now]);
  return { kind: 'accepted', invitation: given, memberId: given.memberId, key, proven: given.mailed };
}

/**
 * A user key for this workspace alone, with what the invitation gives: never the platform's scopes. The role leaves of the others what
 * it does at each call: a key that had only those of a reviewer could neither leave, nor do more once its user is more.
 * @returns its plaintext
 */
async function makeKey(
  tx: Tx,
  invitation: OpenInvitation,
  userId: string,
  { ids, now }: Pick<AcceptRequest, 'ids' | 'now'>,
): Promise<string> {
  const { workspaceId, workspaceName } = invitation;
  const { plaintext } = await createApiKey(tx, {
    id: ids.uuid(),
    keyType: 'user',
    userId,
    workspaceId: null,
    name: `Invitation to ${workspaceName}`.slice(0, 120),
    scopes: limitOf(invitation) ?? TENANT_SCOPES,
    createdBy: userId,
    onlyWorkspaces: [workspaceId],
    now,
  });
  return plaintext;
}
