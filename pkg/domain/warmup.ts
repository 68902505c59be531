import { type Ramp, rampFactor } from './budget.ts';
import { localDate } from './budget-window.ts';

const DAY_MS = 86_400_000;

/** How a warm-up grows. Source: catalog svc_control_warmup. */
export interface WarmupPlan {
  /** Mails a day at its end. */
  dailyTarget: number;
  /** More of them each day. */
  dailyIncrement: number;
  /** Mails on the first day. */
  firstLevel: number;
  /** Mails a day that a person set for the mailbox: it never grows beyond them; null: nobody set any. */
  limitBefore: number | null;
}

/** What it begins with: few enough for a mailbox that nobody knows. */
export const FIRST_LEVEL = 5;

/**
 * The plan as ramp and limit of the account, which budgets and pace go by: real mail grows by them. Without an increment it stays at
 * its first level. `ramp` null: the limit holds from the first day.
 */
export function limitsOf({ dailyTarget: wished, dailyIncrement, firstLevel, limitBefore }: WarmupPlan): {
  limit: number;
  ramp: Ramp | null;
} {
  const dailyTarget = Math.min(wished, limitBefore ?? wished);
  if (dailyTarget <= firstLevel) return { limit: dailyTarget, ramp: null };
  if (dailyIncrement === 0) return { limit: firstLevel, ramp: null };
  const days = Math.ceil((dailyTarget - firstLevel) / dailyIncrement);
  return { limit: dailyTarget, ramp: { startShare: firstLevel / dailyTarget, days } };
}

/** Mails that a day of the ramp allows. @param day 0: the first */
export function levelOn(plan: WarmupPlan, day: number): number {
  const { limit, ramp } = limitsOf(plan);
  return limit === 0 ? 0 : Math.max(1, Math.floor(limit * rampFactor(day, ramp) + 1e-9));
}

/** Limit and ramp of a warm-up as it stands. @param heldDay the day of the ramp on which it was paused; null: it runs */
export function paceOf(plan: WarmupPlan, heldDay: number | null): { limit: number; ramp: Ramp | null } {
  return heldDay === null ? limitsOf(plan) : { limit: levelOn(plan, heldDay), ramp: null };
}

/** Local days since then; 0 for what has not begun. @param from epoch ms, as `now` */
export function daysSince(from: number | null, now: number, zone: string): number {
  if (from === null) return 0;
  return Math.max(0, Math.round((Date.parse(localDate(now, zone)) - Date.parse(localDate(from, zone))) / DAY_MS));
}

/** What is known of a mailbox that warms up. */
export interface WarmupFacts {
  /** Days since it began. */
  day: number;
  sent: number;
  bounced: number;
  complained: number;
  /** As the domain's proofs stand; absent: nobody has looked. */
  spf?: string | undefined;
  dkim?: string | undefined;
  dmarc?: string | undefined;
}

/** What a mailbox needs to be ready (U6). */
const READY = { days: 14, mails: 100, bounceRate: 0.02 } as const;
/** From so many mails on a share says something. */
const BOUNCE_SAMPLE = 50;
const COMPLAINT_SAMPLE = 100;
const COMPLAINT_RATE = 0.001;

/** Why a mailbox is not ready for campaigns at full pace; empty: it is. */
export function unreadiness({ day, sent, bounced, spf, dkim, dmarc }: WarmupFacts): string[] {
  const proofs = Object.entries({ SPF: spf, DKIM: dkim, DMARC: dmarc }).filter(([, state]) => state !== 'pass');
  const states = new Set(proofs.map(([, state]) => state));
  const unproven = [...states].map((state) => {
    const names = proofs.flatMap(([name, of]) => (of === state ? [name] : []));
    return `${names.join(', ')}: ${state ?? 'not looked up yet'}`;
  });
  return [
    ...unproven,
    ...(day < READY.days ? [`${day} of ${READY.days} days`] : []),
    ...(sent < READY.mails ? [`${sent} of ${READY.mails} mails`] : []),
    ...(sent > 0 && bounced >= READY.bounceRate * sent ? [`${bounced} of ${sent} mails came back`] : []),
  ];
}

/** Why a warm-up is to grow no further for now; null: it goes on. */
export function warmupHold({ sent, bounced, complained, spf, dkim, dmarc }: WarmupFacts): string | null {
  const failing = Object.entries({ SPF: spf, DKIM: dkim, DMARC: dmarc }).find(([, state]) => state === 'failing');
  if (failing) return `${failing[0]} of its domain fails`;
  if (sent >= BOUNCE_SAMPLE && bounced >= READY.bounceRate * sent) return `${bounced} of ${sent} mails came back`;
  if (sent >= COMPLAINT_SAMPLE && complained > COMPLAINT_RATE * sent)
    return `${complained} of ${sent} mails were complained about`;
  return null;
}
