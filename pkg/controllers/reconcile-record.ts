import type { Tx } from '../postgres/database.ts';
import type { Readiness } from './readiness.ts';

/** ReconcileStatus of the catalog, as rows keep it. `lastTransitionAt`: epoch ms UTC, product time. */
export interface ReconcileRecord {
  phase: 'pending' | 'ready' | 'degraded' | 'failed';
  generation: number;
  observedGeneration: number;
  message: string | null;
  lastTransitionAt: number;
}

/** What the tools show of a verdict. `inForce`: something of the object works although it is not ready. */
export function reconcileRecord(
  previous: Partial<ReconcileRecord> | null,
  facts: { readiness: Readiness; generation: number; inForce: boolean; now: number },
): ReconcileRecord {
  const { readiness, generation, inForce, now } = facts;
  const phase = readiness.ready ? 'ready' : inForce ? 'degraded' : 'failed';
  const message = readiness.ready ? null : readiness.message;
  const lastTransitionAt = previous?.phase === phase ? (previous.lastTransitionAt ?? now) : now;
  return { phase, generation, observedGeneration: generation, message, lastTransitionAt };
}

/** Stores the record where it differs, for the incarnation that was judged. */
export async function storeReconcile(
  tx: Tx,
  table: 'workspace' | 'campaign' | 'workflow',
  object: { id: string; uid: string },
  record: ReconcileRecord,
): Promise<void> {
  await tx.exec(`update ${table} set reconcile = $3::jsonb where id = $1 and uid = $2 and reconcile <> $3::jsonb`, [
    object.id,
    object.uid,
    JSON.stringify(record),
  ]);
}
