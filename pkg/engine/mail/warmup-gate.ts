import { localDate } from '../../domain/budget-window.ts';
import { paceOf, warmupHold } from '../../domain/warmup.ts';
import type { Tx } from '../../postgres/database.ts';
import { readMailboxRates, readMailChecks } from '../../store/mail/mail-checks.ts';
import { holdWarmup, keepWarmupPace, readWarmups } from '../../store/mail/warmups.ts';

const DAY_MS = 86_400_000;

/**
 * Holds the warm-up of the claimed mailbox at today's level where mails come back, are complained about, or its domain fails (U1): a
 * person resumes it.
 * @param now epoch ms, product time
 * @returns why it was held now; null: it was not
 */
export async function gateWarmup(tx: Tx, accountId: string, now: number): Promise<string | null> {
  const [row] = await readWarmups(tx, [accountId]);
  if (row?.state !== 'running') return null;
  const [rates] = await readMailboxRates(tx, [accountId], row.startedAt);
  const [check] = await readMailChecks(tx, [accountId]);
  const { spf, dkim, dmarc } = check?.stand ?? {};
  const facts = { day: 0, sent: 0, bounced: 0, complained: 0, ...rates };
  const why = warmupHold({ ...facts, spf: spf?.state, dkim: dkim?.state, dmarc: dmarc?.state });
  if (why === null) return null;
  const day = await rampDay(tx, accountId, row.rampFrom, now);
  if (!(await holdWarmup(tx, accountId, day, why))) return null;
  await keepWarmupPace(tx, accountId, paceOf(row, day), now);
  return why;
}

/** Local days since the ramp began to count. */
async function rampDay(tx: Tx, accountId: string, from: number | null, now: number): Promise<number> {
  if (from === null) return 0;
  const row = await tx.row<{ timezone: string }>('select timezone from network_account where id = $1', [accountId]);
  const zone = row?.timezone ?? 'UTC';
  return Math.max(0, Math.round((Date.parse(localDate(now, zone)) - Date.parse(localDate(from, zone))) / DAY_MS));
}
