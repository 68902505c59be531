import { z } from 'zod';
import { SIGNAL_TYPES } from '../../domain/condition.ts';
import type { SignalRules } from '../../domain/signal-score.ts';
import { SIGNAL_DECAYS } from '../../domain/signal-score.ts';

/** Catalog record SignalWeight. */
export const signalWeight = z.object({
  type: z.enum(SIGNAL_TYPES),
  points: z.number(),
  windowDays: z.number(),
  decay: z.enum(SIGNAL_DECAYS),
  halfLifeDays: z.number().nullable(),
});

/** One record for each type, in the catalog's order. */
export function weightsOf(rules: SignalRules): z.input<typeof signalWeight>[] {
  return SIGNAL_TYPES.flatMap((type) => {
    const weight = rules.weights[type];
    if (!weight) return [];
    const { points, windowDays, decay = 'linear', halfLifeDays = null } = weight;
    return [{ type, points, windowDays, decay, halfLifeDays }];
  });
}
