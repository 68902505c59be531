import { z } from 'zod';
import { DELIVERY_STATES, type DeliveryView } from '../../store/deliveries/read-deliveries.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record Delivery: one event for one endpoint, and where it stands. */
export const deliveryRecord = z.object({
  deliveryId: z.string(),
  kind: z.string(),
  sequence: z.number(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number(),
  nextAttemptAt: z.string().nullable(),
  settledAt: z.string().nullable(),
  error: z.string().nullable(),
});

export function deliveryOf({
  id,
  kind,
  number,
  state,
  attempts,
  dueAt,
  settledAt,
  error,
}: DeliveryView): z.output<typeof deliveryRecord> {
  return {
    deliveryId: id,
    kind,
    sequence: number,
    state,
    attempts,
    nextAttemptAt: state === 'waiting' ? iso(dueAt) : null,
    settledAt: isoOrNull(settledAt),
    error,
  };
}
