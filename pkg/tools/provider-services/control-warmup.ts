import { z } from 'zod';
import { DEFAULT_RAMP } from '../../domain/budget.ts';
import { daysSince, FIRST_LEVEL, limitsOf, paceOf } from '../../domain/warmup.ts';
import type { Tx } from '../../postgres/database.ts';
import type { ProviderAccountRow } from '../../store/accounts/provider-accounts.ts';
import { readMailChecks } from '../../store/mail/mail-checks.ts';
import { keepWarmup, keepWarmupPace, readWarmups, type WarmupRow } from '../../store/mail/warmups.ts';
import { documentedDefault } from '../documented-default.ts';
import { invalidInput, wrongState } from '../errors.ts';
import { ownerOf } from '../network-accounts/account-owner.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { requireProviderAccount } from './provider-account.ts';
import { requireMailboxOwner } from './require-mailbox-owner.ts';
import { warmupStatus, warmupsOf } from './warmup-status.ts';

const DEFAULTS = { dailyTarget: 30, dailyIncrement: 2, replyRate: 0.35, weekdaysOnly: true } as const;
const DAY_MS = 86_400_000;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const WEEKDAYS = [1, 2, 3, 4, 5];

const input = z.strictObject({
  providerAccountId: z.string().min(1),
  action: z.enum(['start', 'pause', 'resume', 'stop', 'configure']),
  dailyTarget: documentedDefault(z.int().min(1).max(50), DEFAULTS.dailyTarget),
  dailyIncrement: documentedDefault(z.int().min(0).max(5), DEFAULTS.dailyIncrement),
  replyRate: documentedDefault(z.number().min(0).max(1), DEFAULTS.replyRate),
  weekdaysOnly: documentedDefault(z.boolean(), DEFAULTS.weekdaysOnly),
});
type Request = z.output<typeof input>;

export const controlWarmup = tool({
  name: 'svc_control_warmup',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Control warm-up',
  description: 'Starts, pauses, resumes or stops warm-up of a mailbox and sets its ramp. Next: svc_get_warmup_status.',
  example: { input: { providerAccountId: '$mailboxId', action: 'start', dailyTarget: 30 } },
  scope: 'ext_integrations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'record',
  input,
  output: z.object({ providerAccountId: z.string(), warmup: warmupStatus }),
  async run(ctx, request) {
    const now = ctx.clocks.product.now();
    const result = await ctx.tx(async (tx) => {
      const box = await requireProviderAccount(ctx, tx, request.providerAccountId);
      if (box.capability !== 'mail') throw invalidInput('providerAccountId', 'is a calendar, and mailboxes warm up');
      requireMailboxOwner(ctx, await ownerOf(tx, box.id));
      await tx.exec('select 1 from network_account where id = $1 for no key update', [box.id]);
      await control(ctx, tx, box, request);
      const after = await requireProviderAccount(ctx, tx, box.id);
      const [warmup] = await warmupsOf(tx, [after], now);
      if (!warmup) throw new Error('a mailbox has a warm-up status');
      return { providerAccountId: box.id, warmup };
    });
    // Not in the same transaction: executors lock their runs before the account.
    await ctx.tx((tx) => tx.exec('select app.wake_waiting($1)', [result.providerAccountId]));
    return result;
  },
});

async function control(ctx: ToolContext, tx: Tx, box: ProviderAccountRow, request: Request): Promise<void> {
  const now = ctx.clocks.product.now();
  const [known] = await readWarmups(tx, [box.id]);
  const under = known && known.state !== 'off' ? known : null;
  switch (request.action) {
    case 'start':
      if (under) return configure(tx, under, request, now);
      await requireProven(tx, box);
      return start(tx, box, request, now);
    case 'configure':
      return configure(tx, requireUnderWay(under), request, now);
    case 'pause':
      return pause(tx, requireUnderWay(under), box, now);
    case 'resume':
      await requireProven(tx, box);
      return resume(tx, requireUnderWay(under), now);
    case 'stop':
      if (under) await stop(tx, under, now);
  }
}

/** @throws UserError for a mailbox that does not warm up */
function requireUnderWay(row: WarmupRow | null): WarmupRow {
  if (row) return row;
  throw wrongState('The mailbox does not warm up: start it first', 'svc_get_warmup_status');
}

/** @throws UserError where the domain of the mailbox is known to prove nothing */
async function requireProven(tx: Tx, box: ProviderAccountRow): Promise<void> {
  const [check] = await readMailChecks(tx, [box.id]);
  if (!check) return;
  const { spf, dkim, dmarc, problems } = check.stand;
  const missing = Object.entries({ SPF: spf, DKIM: dkim, DMARC: dmarc }).filter(([, stand]) => stand.failedAt !== null);
  if (missing.length === 0) return;
  const why = problems.length === 0 ? '' : ` (${problems.join('; ')})`;
  throw wrongState(`${missing.map(([name]) => name).join(', ')} missing${why}`, 'svc_get_mail_deliverability');
}

/** Whether mails leave on weekends too. */
const daysOf = (weekdaysOnly: boolean): number[] => (weekdaysOnly ? WEEKDAYS : EVERY_DAY);

async function start(tx: Tx, box: ProviderAccountRow, request: Request, now: number): Promise<void> {
  const { dailyTarget, dailyIncrement, replyRate, weekdaysOnly } = { ...DEFAULTS, ...given(request) };
  const row = {
    accountId: box.id,
    state: 'running',
    startedAt: now,
    dailyTarget,
    dailyIncrement,
    replyRate,
    weekdaysOnly,
    firstLevel: Math.min(FIRST_LEVEL, dailyTarget),
    heldDay: null,
    heldWhy: '',
    limitBefore: box.limit,
  } as const;
  await keepWarmup(tx, row);
  await keepWarmupPace(tx, box.id, { ...limitsOf(row), rampFrom: null, days: daysOf(weekdaysOnly) }, now);
}

async function configure(tx: Tx, before: WarmupRow, request: Request, now: number): Promise<void> {
  const row = { ...before, ...given(request) };
  await keepWarmup(tx, row);
  await keepWarmupPace(tx, row.accountId, { ...paceOf(row, row.heldDay), days: daysOf(row.weekdaysOnly) }, now);
}

async function pause(tx: Tx, row: WarmupRow, box: ProviderAccountRow, now: number): Promise<void> {
  if (row.state === 'paused') return;
  const heldDay = daysSince(row.rampFrom, now, box.timezone);
  await keepWarmup(tx, { ...row, state: 'paused', heldDay, heldWhy: 'a person paused it' });
  await keepWarmupPace(tx, row.accountId, paceOf(row, heldDay), now);
}

async function resume(tx: Tx, row: WarmupRow, now: number): Promise<void> {
  if (row.state === 'running') return;
  const rampFrom = now - (row.heldDay ?? 0) * DAY_MS;
  await keepWarmup(tx, { ...row, state: 'running', heldDay: null, heldWhy: '' });
  await keepWarmupPace(tx, row.accountId, { ...limitsOf(row), rampFrom }, now);
}

async function stop(tx: Tx, row: WarmupRow, now: number): Promise<void> {
  await keepWarmup(tx, { ...row, state: 'off', heldDay: null, heldWhy: '' });
  // The ramp of every mailbox goes on.
  await keepWarmupPace(tx, row.accountId, { limit: row.limitBefore, ramp: DEFAULT_RAMP }, now);
}

function given({
  dailyTarget,
  dailyIncrement,
  replyRate,
  weekdaysOnly,
}: Request): Partial<Pick<WarmupRow, 'dailyTarget' | 'dailyIncrement' | 'replyRate' | 'weekdaysOnly'>> {
  return {
    ...(dailyTarget === undefined ? {} : { dailyTarget }),
    ...(dailyIncrement === undefined ? {} : { dailyIncrement }),
    ...(replyRate === undefined ? {} : { replyRate }),
    ...(weekdaysOnly === undefined ? {} : { weekdaysOnly }),
  };
}
