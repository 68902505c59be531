import type { KubeObject } from '../kube/types.ts';
import type { Tx } from '../postgres/database.ts';
import { releaseHoldUntil } from '../store/resources/holds.ts';
import { RELEASE_HOLD } from './names.ts';
import type { HoldFact } from './readiness.ts';

type HoldKind = 'workspace' | 'campaign' | 'workflow';

/** The clock of who wrote an annotation may be ahead of ours by so much. */
const AHEAD_MS = 300_000;

/**
 * What holds an object, after the annotation released what is older than it: its own hold, else that of what is above it; null when
 * nothing holds it. An annotation of a time to come releases nothing, for it would undo each later stop.
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
  const row = await tx.row<{ reason: string; held_by: string; above: string | null }>(
    `select h.reason, h.held_by, case when x.rank > 0 then h.kind || ' ' || h.id end as above
     from (${PLACES[kind]}) x (rank, kind, id)
     join hold h on h.kind = x.kind and h.id = x.id
     order by x.rank limit 1`,
    [id],
  );
  if (!row) return null;
  return { reason: row.reason, heldBy: row.held_by, ...(row.above === null ? {} : { above: row.above }) };
}

/** As SQL, where a hold stops an object, the nearest first; rank 0 is its own. */
const PLACES: Readonly<Record<HoldKind, string>> = {
  workspace: `select 0, 'workspace', $1`,
  campaign: `select 0, 'campaign', $1
    union all
    select 1, 'workspace', c.workspace_id from campaign c where c.id = $1`,
  workflow: `select 0, 'workflow', $1
    union all
    select 1, 'campaign', f.campaign_id from workflow f where f.id = $1
    union all
    select 2, 'workspace', f.workspace_id from workflow f where f.id = $1`,
};
