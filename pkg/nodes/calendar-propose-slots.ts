import { z } from 'zod';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({
  providerAccountId: recordId.optional(),
  durationMinutes: z.int().min(5).max(480).default(30),
  count: z.int().min(1).max(10).default(3),
  businessHoursOnly: z.boolean().default(true),
});

/** Executors of older versions kept the text alone. */
const proposed = z.object({
  slots: z.string(),
  starts: z.array(z.number()).optional(),
  timezone: z.string().optional(),
});

/** Puts free slots of a connected calendar into {{slots}}. */
export const calendarProposeSlots = defineNode<z.infer<typeof config>>({
  nodeType: 'calendar:propose_slots',
  kind: 'call',
  what: 'Puts free slots into {{slots}}.',
  config,
  configHint: {
    providerAccountId: 'string?, default: the first connected calendar',
    durationMinutes: 'int, default 30',
    count: 'int, default 3',
    businessHoursOnly: 'bool, default true',
  },
  outcomes: ['done', 'no_slots', 'failed'],
  defaultOutcome: 'done',
  budget: null,
  billable: null,
  repeatable: true,
  outward: null,
  // Slots grow stale: each visit asks anew.
  onceKey: (input) => `slots:${input.runId}:${input.node.nodeId}:${input.enteredAt}`,
  ask: (_input, { providerAccountId, ...given }) => ({
    call: 'slots',
    providerAccountId: providerAccountId ?? null,
    ...given,
  }),
  price: () => null,
  noCreditsOutcome: null,
  seenOutcome: null,
  failedOutcome: 'failed',
  take: (outcome, data) => {
    if (outcome !== 'done') return {};
    const { slots, starts, timezone } = proposed.parse(data);
    return { facts: { slots, ...(starts && timezone ? { slotTimes: { starts, timezone } } : {}) } };
  },
});
