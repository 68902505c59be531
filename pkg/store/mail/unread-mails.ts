import type { Tx } from '../../postgres/database.ts';

/** Mails of a mailbox that are remembered. */
const MOST_KEPT = 100;

/** A mail whose text could not be read. Times epoch ms. */
export interface UnreadMail {
  uid: number;
  receivedAt: number;
  why: string;
  headRead: boolean;
}

/**
 * Keeps that a mail is about to be parsed, before it is: a parser that takes the process with it has been counted. Mails that lie
 * before the one that was begun last were parsed already. Under the account's lease.
 * @returns how often it was begun, this time included
 */
export async function beginMail(tx: Tx, accountId: string, validity: string, uid: number): Promise<number> {
  const row = await tx.row<{ tries: number }>(
    `update account_wake
     set sync_state = case
       when sync_state ->> 'inboxBegunIn' = $2 and (sync_state ->> 'inboxBegun')::bigint = $3
         then sync_state || jsonb_build_object('inboxTries', (sync_state ->> 'inboxTries')::int + 1)
       when sync_state ->> 'inboxBegunIn' = $2 and (sync_state ->> 'inboxBegun')::bigint > $3 then sync_state
       else sync_state || jsonb_build_object('inboxBegunIn', $2::text, 'inboxBegun', $3::bigint, 'inboxTries', 1)
     end
     where account_id = $1
     returning case
       when (sync_state ->> 'inboxBegun')::bigint = $3 then (sync_state ->> 'inboxTries')::int
       else 1
     end as tries`,
    [accountId, validity, uid],
  );
  return row?.tries ?? 1;
}

/** Counts that a mail could not be kept. Under the account's lease. @returns how often that was in a row, this time included */
export async function countFailure(tx: Tx, accountId: string, validity: string, uid: number): Promise<number> {
  const row = await tx.row<{ failures: number }>(
    `update account_wake
     set sync_state = sync_state || jsonb_build_object(
       'inboxFailedIn', $2::text,
       'inboxFailed', $3::bigint,
       'inboxFailures', case
         when sync_state ->> 'inboxFailedIn' = $2 and (sync_state ->> 'inboxFailed')::bigint = $3
           then (sync_state ->> 'inboxFailures')::int + 1
         else 1
       end
     )
     where account_id = $1
     returning (sync_state ->> 'inboxFailures')::int as failures`,
    [accountId, validity, uid],
  );
  return row?.failures ?? 1;
}

/** Lists mails that were passed over; the newest stay. Under the account's lease. @param now epoch ms, product time */
export async function keepUnread(
  tx: Tx,
  accountId: string,
  validity: string,
  mails: readonly UnreadMail[],
  now: number,
): Promise<void> {
  if (mails.length === 0) return;
  await tx.exec(
    `insert into unread_mail (account_id, validity, uid, received_at, cause, head_read, at)
     select $1, $2, m.uid, m."receivedAt", m.why, m."headRead", $4
     from jsonb_to_recordset($3::jsonb) m (uid bigint, "receivedAt" bigint, why text, "headRead" boolean)
     on conflict do nothing`,
    [accountId, validity, JSON.stringify(mails), now],
  );
  await tx.exec(
    `delete from unread_mail
     where account_id = $1
       and (validity, uid) not in (
         select validity, uid from unread_mail where account_id = $1 order by at desc, uid desc limit ${MOST_KEPT}
       )`,
    [accountId],
  );
}

/** What a mailbox could not read, the newest first. */
export function unreadMails(tx: Tx, accountId: string): Promise<(UnreadMail & { at: number })[]> {
  return tx.rows(
    `select uid, received_at as "receivedAt", cause as why, head_read as "headRead", at
     from unread_mail
     where account_id = $1
     order by at desc, uid desc
     limit ${MOST_KEPT}`,
    [accountId],
  );
}
