import { z } from 'zod';
import { daysSince, levelOn, unreadiness } from '../../domain/warmup.ts';
import type { Tx } from '../../postgres/database.ts';
import type { ProviderAccountRow } from '../../store/accounts/provider-accounts.ts';
import { readMailboxRates, readMailChecks } from '../../store/mail/mail-checks.ts';
import { readWarmups, type WarmupRow } from '../../store/mail/warmups.ts';
import { mailLimit } from './provider-account.ts';

/** Catalog record WarmupStatus. */
export const warmupStatus = z.object({
  providerAccountId: z.string(),
  state: z.enum(['off', 'running', 'paused', 'ready']),
  day: z.number(),
  dailyTarget: z.number(),
  sentToday: z.number(),
  inboxShare: z.number().nullable(),
  replyShare: z.number().nullable(),
  readyForCampaigns: z.boolean(),
  warnings: z.array(z.string()),
});
type WarmupStatus = z.input<typeof warmupStatus>;

/** Persons who were written to, from which on a share of answers says something. */
const REPLY_SAMPLE = 20;

/** How the warm-ups of these mailboxes stand. @param now epoch ms, product time */
export async function warmupsOf(tx: Tx, boxes: readonly ProviderAccountRow[], now: number): Promise<WarmupStatus[]> {
  const ids = boxes.map((box) => box.id);
  const rows = new Map((await readWarmups(tx, ids)).map((row) => [row.accountId, row]));
  const checks = new Map((await readMailChecks(tx, ids)).map((row) => [row.accountId, row.stand]));
  const found: WarmupStatus[] = [];
  for (const box of boxes) {
    const row = rows.get(box.id);
    const [rates] = await readMailboxRates(tx, [box.id], row?.startedAt ?? box.createdAt);
    const stand = checks.get(box.id);
    const day = daysSince(row?.startedAt ?? box.createdAt, now, box.timezone);
    const { sent = 0, bounced = 0, complained = 0, written = 0, replied = 0 } = rates ?? {};
    const facts = { day, sent, bounced, complained };
    const missing = unreadiness({
      ...facts,
      spf: stand?.spf.state,
      dkim: stand?.dkim.state,
      dmarc: stand?.dmarc.state,
    });
    const replyShare = written < REPLY_SAMPLE ? null : Math.round((Math.min(replied, written) / written) * 1000) / 1000;
    found.push({
      ...stateOf(box, row, missing.length === 0),
      day,
      sentToday: box.sentToday,
      // U4: without mails between our mailboxes nobody sees in which folder one arrives.
      inboxShare: null,
      replyShare,
      warnings: [...warningsOf(box, row), ...(missing.length === 0 ? [] : [`Not ready: ${missing.join('; ')}.`])],
    });
  }
  return found;
}

function stateOf(
  box: ProviderAccountRow,
  row: WarmupRow | undefined,
  ready: boolean,
): Pick<WarmupStatus, 'providerAccountId' | 'state' | 'dailyTarget' | 'readyForCampaigns'> {
  const state = row?.state ?? 'off';
  const dailyTarget = row && state !== 'off' ? row.dailyTarget : mailLimit(box.limit);
  return {
    providerAccountId: box.id,
    state: state === 'running' && ready ? 'ready' : state,
    dailyTarget,
    readyForCampaigns: ready && state !== 'paused' && !box.paused,
  };
}

function warningsOf(box: ProviderAccountRow, row: WarmupRow | undefined): string[] {
  const paused = box.paused ? ['The mailbox is paused: nothing is sent.'] : [];
  if (!row || row.state === 'off') return paused;
  const held =
    row.state === 'paused' ? [`It is held at ${levelOn(row, row.heldDay ?? 0)} mails a day: ${row.heldWhy}.`] : [];
  const flat = row.dailyIncrement === 0 && row.dailyTarget > row.firstLevel;
  return [
    ...paused,
    ...held,
    ...(flat ? [`It stays at ${row.firstLevel} mails a day, since dailyIncrement is 0.`] : []),
    'Only real mail is sent, which campaigns and svc_send_mail fill it with: replyRate changes nothing, and nobody sees where mails are filed.',
  ];
}
