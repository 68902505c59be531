import type { Tx } from '../../postgres/database.ts';

/** What the sandbox says that it performed; `GET /_sandbox/received`. */
export interface Received {
  seq: number;
  at: string;
  accountId: string;
  kind: string;
  target: string;
}

/** The comparison that decides trust: what we recorded against what was received. */
export interface LedgerComparison {
  recorded: number;
  received: number;
  /** Recorded as done by us, but never received. */
  missing: number;
  /** Received more than once, or received and not recorded. */
  double: number;
}

interface Recorded {
  account: string;
  action: string;
  target: string;
}

/** Compares the product's ledger with the sandbox's, action by action. */
export async function compareLedgers(tx: Tx, received: Received[]): Promise<LedgerComparison> {
  const rows = await tx.rows<Recorded>(
    `select a.external_id as account, s.action, s.target ->> 'publicId' as target
     from send s join network_account a on a.id = s.account_id where s.state = 'confirmed'`,
  );
  const recorded = count(rows.map((row) => keyOf(row.account, row.action, row.target)));
  const seen = count(received.map((entry) => keyOf(entry.accountId, entry.kind, publicIdOf(entry.target))));
  let missing = 0;
  let double = 0;
  for (const [key, times] of recorded) missing += Math.max(0, times - (seen.get(key) ?? 0));
  for (const [key, times] of seen) double += Math.max(0, times - (recorded.get(key) ?? 0));
  return { recorded: rows.length, received: received.length, missing, double };
}

/** Highest number of one kind of action by one account on one day (UTC). */
export function peaksOf(received: Received[]): { accountId: string; kind: string; day: string; used: number }[] {
  const days = count(received.map((entry) => `${entry.accountId}|${kindOf(entry.kind)}|${entry.at.slice(0, 10)}`));
  const peaks = new Map<string, { accountId: string; kind: string; day: string; used: number }>();
  for (const [key, used] of days) {
    const [accountId = '', kind = '', day = ''] = key.split('|');
    const best = peaks.get(`${accountId}|${kind}`);
    if (!best || used > best.used) peaks.set(`${accountId}|${kind}`, { accountId, kind, day, used });
  }
  return [...peaks.values()].sort((a, b) => `${a.accountId}${a.kind}`.localeCompare(`${b.accountId}${b.kind}`));
}

function keyOf(account: string, action: string, target: string): string {
  return `${account}|${kindOf(action)}|${target.toLowerCase()}`;
}

/** A noted request is one request to the receiver. */
function kindOf(action: string): string {
  return action === 'connection_request_with_note' ? 'connection_request' : action;
}

function publicIdOf(target: string): string {
  return target.replace(/\/+$/, '').split('/').at(-1) ?? target;
}

function count(keys: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
