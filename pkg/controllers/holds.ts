import type { KubeObject } from '../kube/types.ts';
import type { Tx } from '../postgres/database.ts';
import { releaseHoldUntil } from '../store/resources/holds.ts';
import { RELEASE_HOLD } from './names.ts';
import type { HoldFact } from './readiness.ts';

type HoldKind = 'workspace' | 'campaign' | 'workflow';

/** The clock of who wrote an annotation may be ahead of ours by so much. */
const AHEAD_MS = 300_000;

/**
 * The hold on an object, after the annotation released what is older than it; null when nothing holds it. An annotation of a
 * time to come releases nothing, for it would undo each later stop.
 * @param now product time, epoch ms
 */
export async function currentHold(
  tx: Tx,
  kind: HoldKind,
  id: string,
  object: KubeObject,
  now: number,
): Promise<HoldFact | null> {
  const released = Date.parse(object.metadata.annotations?.[RELEASE_HOLD] ?? '');
  if (released <= now + AHEAD_MS) {
    await releaseHoldUntil(tx, kind, id, released);
  }
  const row = await tx.row<{ reason: string; held_by: string }>(
    `select reason, held_by from hold where kind = $1 and id = $2`,
    [kind, id],
  );
  return row ? { reason: row.reason, heldBy: row.held_by } : null;
}
