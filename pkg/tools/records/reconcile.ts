import { z } from 'zod';
import { iso } from '../times.ts';

/** Catalog record ReconcileStatus: how far the operator has judged the resource behind a record. */
export const reconcileStatus = z.object({
  phase: z.enum(['pending', 'ready', 'degraded', 'failed']),
  generation: z.number(),
  observedGeneration: z.number(),
  message: z.string().nullable(),
  lastTransitionAt: z.string(),
});

interface StoredReconcile {
  phase?: 'pending' | 'ready' | 'degraded' | 'failed';
  generation?: number;
  observedGeneration?: number;
  message?: string | null;
  lastTransitionAt?: number;
}

/** The record of a row's `reconcile` column. */
export function reconcileOf(stored: StoredReconcile, updatedAt: number): z.input<typeof reconcileStatus> {
  return {
    phase: stored.phase ?? 'pending',
    generation: stored.generation ?? 0,
    observedGeneration: stored.observedGeneration ?? 0,
    message: stored.message ?? null,
    lastTransitionAt: iso(stored.lastTransitionAt ?? updatedAt),
  };
}
