import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { listProviderAccounts, type ProviderAccountRow } from '../../store/accounts/provider-accounts.ts';
import {
  type MailboxRates,
  type MailCheckRow,
  readMailboxRates,
  readMailChecks,
} from '../../store/mail/mail-checks.ts';
import { notFound } from '../errors.ts';
import { readFreezes } from '../search-diagnostics/checks/freeze-check.ts';
import { iso, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

const DAY_MS = 86_400_000;
/** Mailboxes that are told at most. */
const MOST = 100;
/** Mails from which on a share says something. */
const BOUNCE_SAMPLE = 50;
const COMPLAINT_SAMPLE = 100;
const REPLY_SAMPLE = 50;

const proof = z.enum(['pass', 'failing', 'unconfirmed', 'unknown']);
const share = (least: number) => z.number().nullable().describe(`Null below ${least} mails.`);

/** Catalog records DomainHealth, MailboxHealth and Cooldown. */
const domainHealth = z.object({
  domain: z.string(),
  spf: proof,
  dkim: proof,
  dmarc: proof,
  dmarcPolicy: z.string().nullable(),
  problems: z.array(z.string()),
  checkedAt: z.string().nullable(),
});
const mailboxHealth = z.object({
  providerAccountId: z.string(),
  sent: z.number(),
  bounceRate: share(BOUNCE_SAMPLE),
  complaintRate: share(COMPLAINT_SAMPLE),
  replyRate: share(REPLY_SAMPLE),
  paused: z.boolean(),
  reason: z.string().nullable(),
});
const pause = z.object({ scope: z.string(), until: z.string().nullable(), reason: z.string() });

export const getMailDeliverability = tool({
  name: 'svc_get_mail_deliverability',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Get mail deliverability',
  description:
    'SPF, DKIM, DMARC, bounce, complaint and reply rates per mailbox and domain, with automatic pauses in force. Next: svc_control_warmup.',
  example: { input: { days: 30 } },
  scope: 'ext_integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    providerAccountId: z.string().min(1).optional().describe('Default: all mailboxes of the workspace.'),
    days: z.int().min(1).max(90).default(14),
  }),
  output: z.object({ domains: z.array(domainHealth), mailboxes: z.array(mailboxHealth), pauses: z.array(pause) }),
  async run(ctx, { providerAccountId, days }) {
    const { workspaceId } = ctx;
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const boxes = await mailboxes(tx, workspaceId, providerAccountId, now);
      const ids = boxes.map((box) => box.id);
      const rates = await readMailboxRates(tx, ids, now - days * DAY_MS);
      const ofBox = new Map(rates.map((one) => [one.accountId, one]));
      const states = await stateOf(tx, ids);
      return {
        domains: domainsOf(boxes, await readMailChecks(tx, ids)),
        mailboxes: boxes.map((box) => healthOf(box, ofBox.get(box.id), states.get(box.id)?.pauseReason ?? '')),
        pauses: [
          ...boxes.flatMap((box) => pausesOf(box, states.get(box.id), now)),
          ...(await readFreezes({ tx, workspaceId, now }, ids, ['', 'mail'])).map((one) => ({
            scope: one.scope === 'account' ? `mailbox ${one.target}` : one.scope,
            until: isoOrNull(one.until),
            reason: `sending is frozen: ${one.reason}`,
          })),
        ],
      };
    });
  },
});

async function mailboxes(
  tx: Tx,
  workspaceId: string,
  providerAccountId: string | undefined,
  now: number,
): Promise<ProviderAccountRow[]> {
  const id = providerAccountId;
  const boxes = await listProviderAccounts(tx, { workspaceId, capability: 'mail', id, now, after: null, fetch: MOST });
  if (id !== undefined && boxes.length === 0) throw notFound('providerAccount', id);
  return boxes;
}

/** Why a mailbox rests or paused itself. */
interface BoxState {
  id: string;
  pauseReason: string;
  cooldownUntil: number | null;
  cooldownReason: string;
}

async function stateOf(tx: Tx, ids: readonly string[]): Promise<Map<string, BoxState>> {
  const rows = await tx.rows<BoxState>(
    `select
       a.id, m.pause_reason as "pauseReason", a.cooldown_until as "cooldownUntil", a.cooldown_reason as "cooldownReason"
     from network_account a
     join mailbox m on m.account_id = a.id
     where a.id = any ($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A line for each domain that mails come from; of several looks the latest. */
function domainsOf(
  boxes: readonly ProviderAccountRow[],
  checks: readonly MailCheckRow[],
): z.input<typeof domainHealth>[] {
  const names = [...new Set(boxes.map(({ email }) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()))];
  return names.toSorted().map((domain) => {
    const [check] = checks.filter((one) => one.domain === domain).toSorted((a, b) => b.checkedAt - a.checkedAt);
    if (!check)
      return {
        domain,
        spf: 'unknown',
        dkim: 'unknown',
        dmarc: 'unknown',
        dmarcPolicy: null,
        problems: ['It was not looked up yet: that is done when the mailbox is read, soon after it is connected.'],
        checkedAt: null,
      };
    const { spf, dkim, dmarc, dmarcPolicy, problems } = check.stand;
    const unseen = dkim.state === 'unknown' && dkim.failedAt === null;
    return {
      domain,
      spf: spf.state,
      dkim: dkim.state,
      dmarc: dmarc.state,
      dmarcPolicy,
      problems: unseen
        ? [
            ...problems,
            'DKIM: no signed mail of this domain came back yet; send one to the mailbox itself, and it is seen.',
          ]
        : problems,
      checkedAt: iso(check.checkedAt),
    };
  });
}

function healthOf(
  box: ProviderAccountRow,
  rates: MailboxRates | undefined,
  pauseReason: string,
): z.input<typeof mailboxHealth> {
  const { sent = 0, bounced = 0, complained = 0, written = 0, replied = 0 } = rates ?? {};
  return {
    providerAccountId: box.id,
    sent,
    bounceRate: shareOf(bounced, sent, BOUNCE_SAMPLE),
    complaintRate: shareOf(complained, sent, COMPLAINT_SAMPLE),
    replyRate: shareOf(replied, written, REPLY_SAMPLE),
    paused: box.paused,
    reason: box.paused ? pauseReason || 'a person paused it' : null,
  };
}

function shareOf(part: number, whole: number, sample: number): number | null {
  return whole < sample ? null : Math.round((Math.min(part, whole) / whole) * 10_000) / 10_000;
}

function pausesOf(box: ProviderAccountRow, state: BoxState | undefined, now: number): z.input<typeof pause>[] {
  const scope = `mailbox ${box.id}`;
  const rests = state && (state.cooldownUntil ?? 0) > now;
  return [
    ...(box.paused
      ? [
          {
            scope,
            until: null,
            reason: state?.pauseReason ? `${state.pauseReason}; a person resumes it` : 'a person paused it',
          },
        ]
      : []),
    ...(rests
      ? [
          {
            scope,
            until: isoOrNull(state.cooldownUntil),
            reason: state.cooldownReason || 'its mail server signalled a limit',
          },
        ]
      : []),
  ];
}
