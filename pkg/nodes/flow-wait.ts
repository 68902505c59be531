import { z } from 'zod';
import {
  type BusinessHours,
  DEFAULT_BUSINESS_HOURS,
  isOpen,
  nextOpening,
  TIMEZONE_MODES,
} from '../domain/business-hours.ts';
import { firstTimezone } from '../domain/local-time.ts';
import { seededJitter } from '../domain/random.ts';
import type { WaitReason } from '../domain/vocabulary.ts';
import { DAY_MS, durationMs, timezone } from './config-parts.ts';
import { defineNode } from './define.ts';
import type { StepInput, StepResult } from './node-type.ts';

const jitterMs = z.int().min(0).max(DAY_MS).default(0);
const config = z.discriminatedUnion(
  'waitType',
  [
    z.strictObject({ waitType: z.literal('duration'), durationMs, jitterMs }),
    z.strictObject({
      waitType: z.literal('until'),
      untilTime: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
      jitterMs,
    }),
    z
      .strictObject({
        waitType: z.literal('business_hours'),
        days: z
          .array(z.int().min(1).max(7))
          .min(1)
          .max(7)
          .default(() => [...DEFAULT_BUSINESS_HOURS.days]),
        startHour: z.int().min(0).max(23).default(DEFAULT_BUSINESS_HOURS.startHour),
        endHour: z.int().min(1).max(24).default(DEFAULT_BUSINESS_HOURS.endHour),
        timezoneMode: z.enum(TIMEZONE_MODES).default(DEFAULT_BUSINESS_HOURS.timezoneMode),
        timezone: timezone.optional(),
        jitterMs,
      })
      .refine((hours) => hours.startHour < hours.endHour, { message: 'must be after startHour', path: ['endHour'] })
      .refine((hours) => hours.timezoneMode !== 'fixed' || hours.timezone !== undefined, {
        message: 'is required with timezoneMode fixed',
        path: ['timezone'],
      }),
  ],
  { error: 'waitType must be duration, until or business_hours' },
);
type WaitConfig = z.infer<typeof config>;

function zoneOf(hours: BusinessHours, input: StepInput): string {
  const account = input.account?.timezone ?? null;
  if (hours.timezoneMode === 'fixed') return firstTimezone(hours.timezone);
  return hours.timezoneMode === 'lead' ? firstTimezone(input.lead.timezone, account) : firstTimezone(account);
}

/** The opening after arrival plus jitter; a late executor that finds the hours closed again waits for the next ones. */
function businessHoursDue(hours: BusinessHours, input: StepInput, jitter: number): number {
  const zone = zoneOf(hours, input);
  const opening = nextOpening(input.enteredAt, hours, zone);
  const room = (hours.endHour - hours.startHour) * 3_600_000 - 1;
  const due = opening + Math.min(jitter, room);
  if (input.now < due) return isOpen(due, hours, zone) ? due : nextOpening(due, hours, zone);
  return nextOpening(input.now, hours, zone);
}

function waitUntil(input: StepInput, wait: WaitConfig): { reason: WaitReason; until: number } {
  const jitter = seededJitter(wait.jitterMs, 'wait', input.runId, input.node.nodeId);
  if (wait.waitType === 'duration') return { reason: 'duration', until: input.enteredAt + wait.durationMs + jitter };
  if (wait.waitType === 'until') return { reason: 'until_time', until: wait.untilTime + jitter };
  return { reason: 'business_hours', until: businessHoursDue(wait, input, jitter) };
}

function step(input: StepInput, wait: WaitConfig): StepResult {
  const { reason, until } = waitUntil(input, wait);
  return input.now >= until ? { kind: 'advance', outcome: 'next' } : { kind: 'wait', reason, until };
}

/** Waits for a time; jitter is seeded by run and node, so that a restart does not move it. */
export const flowWait = defineNode<WaitConfig>({
  nodeType: 'flow:wait',
  kind: 'pure',
  what: 'Waits; the next step still respects hours, budget and pacing.',
  config,
  configHint: {
    waitType: 'duration|until|business_hours',
    durationMs: 'int >= 0 (duration)',
    untilTime: 'ISO 8601 (until)',
    days: 'int[] 1..7 (business_hours)',
    startHour: 'int 0..23',
    endHour: 'int 1..24',
    timezoneMode: 'lead|account|fixed',
    timezone: 'IANA name (timezoneMode fixed)',
    jitterMs: 'int 0..86400000, default 0',
  },
  outcomes: ['next'],
  defaultOutcome: 'next',
  step,
});
