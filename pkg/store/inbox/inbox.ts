import type { ReplyClass } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';

export interface ReplyInput {
  /** Epoch ms product time. */
  now: number;
  accountId: string;
  personId: string;
  /** When the person wrote; a reply at or before the last known one changes nothing. */
  at: number;
  replyClass: ReplyClass;
  /** Out of office: when the run goes on. */
  resumeAt: number | null;
}

/**
 * Stops what is planned for the person in every workspace of the account, in the caller's transaction: claimed sends
 * and drafts are cancelled, runs become replied (suppressed on "stop"). Returns how many runs it touched.
 */
export function recordReply(tx: Tx, { personId, ...reply }: ReplyInput): Promise<number> {
  return recordReplies(tx, { ...reply, personIds: [personId] });
}

/** As {@link recordReply}, of persons of several agencies who are one human to the account: each hears it once. */
export async function recordReplies(
  tx: Tx,
  reply: Omit<ReplyInput, 'personId'> & { personIds: readonly string[] },
): Promise<number> {
  const row = await tx.row<{ runs: number }>('select app.record_replies($1, $2, $3, $4, $5, $6) as runs', [
    reply.now,
    reply.accountId,
    reply.personIds,
    reply.at,
    reply.replyClass,
    reply.resumeAt,
  ]);
  return row?.runs ?? 0;
}

/** The person accepted at `at` (epoch ms product time); runs that wait for it look again. Idempotent. */
export async function recordAcceptance(
  tx: Tx,
  acceptance: { now: number; accountId: string; personId: string; providerId: string; at: number },
): Promise<number> {
  const row = await tx.row<{ runs: number }>('select app.record_acceptance($1, $2, $3, $4, $5) as runs', [
    acceptance.now,
    acceptance.accountId,
    acceptance.personId,
    acceptance.providerId,
    acceptance.at,
  ]);
  return row?.runs ?? 0;
}

/** What a profile look-up said of an account and a person. */
export interface RelationNote {
  accountId: string;
  personId: string;
  providerId: string;
  state: 'none' | 'pending' | 'connected';
  /** The profile that was looked up, in lower case. */
  profileId?: string;
}

/** Keeps what profile look-ups said, of each pair the last; they never take a connection back. */
export async function noteRelations(tx: Tx, now: number, notes: readonly RelationNote[]): Promise<void> {
  if (notes.length === 0) return;
  const last = new Map(notes.map((note) => [`${note.accountId}/${note.personId}`, note]));
  await tx.exec('select app.note_relations($1, $2)', [now, JSON.stringify([...last.values()])]);
}

/** The newest message of the other side of a conversation, as sync read it, by the provider's ids; undefined: none. */
export function newestInbound(
  tx: Tx,
  accountId: string,
  chatId: string,
): Promise<{ messageId: string; sentAt: number } | undefined> {
  return tx.row(
    `select m.external_id as "messageId", m.sent_at as "sentAt"
     from conversation c
     join message m on m.conversation_id = c.id
     where c.account_id = $1 and c.external_id = $2 and m.direction = 'in'
     order by m.sent_at desc, m.id desc limit 1`,
    [accountId, chatId],
  );
}
