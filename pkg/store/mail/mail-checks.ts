import type { AuthStand } from '../../domain/mail-auth.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** How a sending domain stands. */
export interface DomainStand {
  spf: AuthStand;
  dkim: AuthStand;
  dmarc: AuthStand;
  dmarcPolicy: string | null;
  problems: string[];
}

/** The last look at the domain of a mailbox; `checkedAt` epoch ms, product time. */
export interface MailCheckRow {
  accountId: string;
  domain: string;
  checkedAt: number;
  stand: DomainStand;
}

/** The last looks at the domains of these mailboxes. */
export function readMailChecks(tx: Tx, accountIds: readonly string[]): Promise<MailCheckRow[]> {
  return tx.rows(
    `select account_id as "accountId", domain, checked_at as "checkedAt", stand
     from mail_check
     where account_id = any ($1::text[])`,
    [arrayText(accountIds)],
  );
}

/** Keeps a look, in place of the one before. */
export async function keepMailCheck(tx: Tx, { accountId, domain, checkedAt, stand }: MailCheckRow): Promise<void> {
  await tx.exec(
    `insert into mail_check (account_id, domain, checked_at, stand)
     values ($1, $2, $3, $4)
     on conflict (account_id) do update set
       domain = excluded.domain,
       checked_at = excluded.checked_at,
       stand = excluded.stand`,
    [accountId, domain, checkedAt, JSON.stringify(stand)],
  );
}

/** A selector with which mails of a mailbox were signed; `seenAt` epoch ms, product time. */
export interface SelectorRow {
  domain: string;
  selector: string;
  oneClick: boolean;
}

/** Selectors of a mailbox that were seen since then, the newest first. */
export function readSelectors(tx: Tx, accountId: string, since: number): Promise<SelectorRow[]> {
  return tx.rows(
    `select domain, selector, one_click as "oneClick"
     from mail_selector
     where account_id = $1 and seen_at >= $2
     order by seen_at desc, selector limit 10`,
    [accountId, since],
  );
}

/** Keeps with what a mail of the mailbox was signed. @param now epoch ms, product time */
export async function keepSelectors(
  tx: Tx,
  accountId: string,
  seen: readonly SelectorRow[],
  now: number,
): Promise<void> {
  if (seen.length === 0) return;
  await tx.exec(
    `insert into mail_selector (account_id, domain, selector, one_click, seen_at)
     select distinct on (q.domain, q.selector) $1, q.domain, q.selector, q."oneClick", $3
     from jsonb_to_recordset($2) as q (domain text, selector text, "oneClick" boolean)
     order by q.domain, q.selector
     on conflict (account_id, domain, selector) do update set
       one_click = excluded.one_click,
       seen_at = excluded.seen_at`,
    [accountId, JSON.stringify(seen), now],
  );
}

/** What became of the mails of a mailbox, whichever of its workspaces sent them. */
export interface MailboxRates {
  accountId: string;
  sent: number;
  bounced: number;
  complained: number;
  /** Persons who were written to, and those of them who answered. */
  written: number;
  replied: number;
}

/** @param since epoch ms, product time */
export function readMailboxRates(tx: Tx, accountIds: readonly string[], since: number): Promise<MailboxRates[]> {
  return tx.rows(
    `select account_id as "accountId", sent, bounced, complained, written, replied
     from app.mailbox_rates($1::text[], $2)`,
    [arrayText(accountIds), since],
  );
}
