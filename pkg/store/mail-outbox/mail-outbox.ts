import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';

/** Real seconds until another server may look at a mail that its holder left. */
const LEASE_SECONDS = 120;
/** Attempts after which a mail is given up; with the pauses between them they take about ten hours. */
const MAX_ATTEMPTS = 16;
/** Real seconds until the second attempt; each pause is twice the one before, an hour at most. */
const FIRST_PAUSE_SECONDS = 15;
const MAX_PAUSE_SECONDS = 3_600;
/** Mails that an address gets in a day at most, from all tenants together, and that a workspace sends. */
const MOST_TO_AN_ADDRESS = 25;
/**
 * Mails that sign in are counted apart. What strangers ask for is bounded by the pause between links (sign-in-links.ts), to 288 in a
 * day: so many that they could never use up what is left here for the person's own.
 */
const MOST_SIGN_IN_TO_AN_ADDRESS = 1_000;
const MOST_OF_A_WORKSPACE = 500;
/** Product ms for which is kept that a mail was sent, so that its key is known. */
const KEPT_MS = 30 * 86_400_000;
/** Rows that one round forgets. */
const FORGOTTEN_AT_ONCE = 1_000;

/** Whose the link of a mail is, as the sealer binds it. */
export const outboxOwner = (id: string): string => `mail_outbox/${id}`;

/** A mail to queue. */
export interface NewMail {
  id: string;
  /** The same mail is queued once. */
  idempotencyKey: string;
  kind: string;
  /** Whose share it counts in; null: the platform's. */
  workspaceId: string | null;
  recipient: string;
  params: JsonObject;
  sealed: Buffer | null;
  /** Epoch ms, product time. */
  now: number;
  expiresAt: number;
}

export type Queued = 'queued' | 'known' | 'recipient_full' | 'workspace_full';

/** Queues a mail in the transaction that is its reason. */
export async function queueMail(tx: Tx, mail: NewMail): Promise<Queued> {
  const row = await tx.row<{ queued: Queued }>(
    'select app.queue_mail($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as queued',
    [
      mail.id,
      mail.idempotencyKey,
      mail.kind,
      mail.workspaceId,
      mail.recipient,
      JSON.stringify(mail.params),
      mail.sealed,
      mail.now,
      mail.expiresAt,
      mail.kind === 'sign_in' ? MOST_SIGN_IN_TO_AN_ADDRESS : MOST_TO_AN_ADDRESS,
      MOST_OF_A_WORKSPACE,
    ],
  );
  if (!row) throw new Error('app.queue_mail answered nothing');
  return row.queued;
}

/** A mail under a lease. */
export interface LeasedMail {
  id: string;
  kind: string;
  workspaceId: string | null;
  recipient: string;
  params: JsonObject;
  sealed: Buffer | null;
  attempts: number;
}

/**
 * Takes the lease of a mail that is due: one that nobody works on, or whose holder died before it gave the content away. Needs a
 * platform transaction. @param kinds that the caller can write
 */
export function leaseMail(tx: Tx, holder: string, kinds: readonly string[]): Promise<LeasedMail | undefined> {
  return tx.row<LeasedMail>(
    `update mail_outbox
     set
       state = 'leased',
       holder = $1,
       attempts = attempts + 1,
       lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where id = (
       select o.id
       from mail_outbox o
       where o.settled_at is null
         and o.kind = any ($2)
         and (o.state = 'queued' or (o.state = 'leased' and o.lease_until < clock_timestamp()))
         and o.next_at <= clock_timestamp()
       order by o.next_at limit 1
       for update skip locked
     )
     returning id, kind, workspace_id as "workspaceId", recipient, params, sealed, attempts`,
    [holder, kinds],
  );
}

/** From here on the content may be given away: if the holder dies now, nobody sends it again. @returns false: another one's */
export async function beginSending(tx: Tx, holder: string, id: string): Promise<boolean> {
  const begun = await tx.exec(
    `update mail_outbox
     set state = 'sending', lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where id = $2 and holder = $1 and state = 'leased' and lease_until > clock_timestamp()`,
    [holder, id],
  );
  return begun > 0;
}

/** How a mail ended. */
export type MailEnd = 'sent' | 'failed' | 'unknown' | 'expired';

/** Ends a mail of the holder; what it said is forgotten. @param now epoch ms, product time */
export async function settleMail(
  tx: Tx,
  holder: string,
  id: string,
  end: { state: MailEnd; error: string | null; now: number },
): Promise<void> {
  await tx.exec(
    `update mail_outbox
     set state = $3, error = $4, settled_at = $5, params = '{}', sealed = null, holder = null, lease_until = null
     where id = $2 and holder = $1 and settled_at is null`,
    [holder, id, end.state, end.error?.slice(0, 500) ?? null, end.now],
  );
}

/** Puts a mail back that surely did not leave, or gives it up after many attempts. @returns what became of it */
export async function retryMail(
  tx: Tx,
  holder: string,
  { id, attempts }: LeasedMail,
  { error, now }: { error: string; now: number },
): Promise<'retried' | 'failed'> {
  if (attempts >= MAX_ATTEMPTS) {
    await settleMail(tx, holder, id, { state: 'failed', error, now });
    return 'failed';
  }
  const pause = Math.min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempts - 1));
  await tx.exec(
    `update mail_outbox
     set
       state = 'queued',
       error = $3,
       next_at = clock_timestamp() + make_interval(secs => $4),
       holder = null,
       lease_until = null
     where id = $2 and holder = $1 and settled_at is null`,
    [holder, id, error.slice(0, 500), pause],
  );
  return 'retried';
}

/** Mails that ended without a holder, by kind. */
export interface Swept {
  kind: string;
  state: 'unknown' | 'expired';
  count: number;
}

/**
 * Ends what nobody ends: what its holder may have given away before it died, and what is past its time. Forgets what ended
 * long ago. @param now epoch ms, product time
 */
export async function sweepOutbox(tx: Tx, now: number): Promise<Swept[]> {
  const swept = await tx.rows<Swept>(
    `with ended as (
       update mail_outbox o
       set
         state = case when o.state = 'sending' then 'unknown' else 'expired' end,
         error = coalesce(o.error, case when o.state = 'sending' then 'its server ended while it sent the mail' end),
         settled_at = $1, params = '{}', sealed = null, holder = null, lease_until = null
       where o.settled_at is null
         and (
           (o.state = 'sending' and o.lease_until < clock_timestamp())
           or (
             o.expires_at <= $1
             and (o.state = 'queued' or (o.state = 'leased' and o.lease_until < clock_timestamp()))
           )
         )
       returning o.kind, o.state
     )
     select kind, state, count(*)::int as count from ended group by kind, state`,
    [now],
  );
  await tx.exec(
    `delete from mail_outbox
     where id = any (array(select o.id from mail_outbox o where o.settled_at < $1 limit ${FORGOTTEN_AT_ONCE}))`,
    [now - KEPT_MS],
  );
  return swept;
}

/** Mails that wait, and for how long the oldest has been due (real seconds, 0 without one). */
export async function outboxLoad(tx: Tx): Promise<{ waiting: number; oldestSeconds: number }> {
  const row = await tx.row<{ waiting: number; oldestSeconds: number }>(
    `select
       count(*)::int as waiting,
       coalesce(greatest(0, extract(epoch from clock_timestamp() - min(next_at))), 0)::float8 as "oldestSeconds"
     from mail_outbox
     where settled_at is null`,
  );
  return row ?? { waiting: 0, oldestSeconds: 0 };
}
