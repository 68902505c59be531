import { daysSince, paceOf, unreadiness, warmupHold } from '../../domain/warmup.ts';
import type { Tx } from '../../postgres/database.ts';
import { readMailboxRates, readMailChecks } from '../../store/mail/mail-checks.ts';
import { holdWarmup, keepWarmupPace, readWarmups, tellWarmupReady, type WarmupRow } from '../../store/mail/warmups.ts';

/** What a look at a warm-up changed. */
interface WarmupNews {
  /** Why it was held now; null: it was not. */
  held: string | null;
  /** Its mailbox became ready, and the workspaces were told. */
  ready: boolean;
}

/**
 * Holds the warm-up of the claimed mailbox at today's level where mails come back, are complained about, or its domain fails (U1): a
 * person resumes it. Where nothing is missing any more its workspaces are told that it is ready, once (U6).
 * @param now epoch ms, product time
 */
export async function gateWarmup(tx: Tx, accountId: string, now: number): Promise<WarmupNews> {
  const [row] = await readWarmups(tx, [accountId]);
  if (row?.state !== 'running') return { held: null, ready: false };
  const [rates] = await readMailboxRates(tx, [accountId], row.startedAt);
  const [check] = await readMailChecks(tx, [accountId]);
  const { spf, dkim, dmarc } = check?.stand ?? {};
  const day = daysSince(row.startedAt, now, row.timezone);
  const counts = { sent: 0, bounced: 0, complained: 0, ...rates };
  const facts = { day, ...counts, spf: spf?.state, dkim: dkim?.state, dmarc: dmarc?.state };
  const why = warmupHold(facts);
  if (why !== null) return { held: (await hold(tx, row, why, now)) ? why : null, ready: false };
  const ready = unreadiness(facts).length === 0 && (await tellWarmupReady(tx, accountId, row.startedAt, now));
  return { held: null, ready };
}

/** @returns false when it does not run any more */
async function hold(tx: Tx, row: WarmupRow, why: string, now: number): Promise<boolean> {
  const day = daysSince(row.rampFrom, now, row.timezone);
  if (!(await holdWarmup(tx, row.accountId, day, why))) return false;
  await keepWarmupPace(tx, row.accountId, paceOf(row, day), now);
  return true;
}
