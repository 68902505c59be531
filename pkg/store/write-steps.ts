import { arrayText } from '../postgres/array-text.ts';
import type { Tx } from '../postgres/database.ts';
import { type Group, worthGrouping } from './grouped.ts';
import { movedTo, movesOf, type RunChange, writeMoves } from './run-changes.ts';
import { appendGroups, eventGroups, type RunEvent, toldOf } from './run-events.ts';
import type { RunRow } from './runs.ts';

/** Text of a batch whose every run moved and has one line of history for it; exported so that a test can assert its plan. */
export const STEP_TOGETHER = `with moved as (
    update run r set node_id = g.node_id, state = g.state, wait_reason = g.wait_reason, due_at = g.due_at, entered_at = g.entered_at, send_id = null,
      version = r.version + 1
    from unnest($2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[]) as g (first, last, node_id, state, wait_reason, due_at, entered_at)
    where r.id = any (($1::uuid[])[g.first:g.last]))
  insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
  select $9, unnest(($1::uuid[])[g.first:g.last]), g.at, g.kind, g.node_id, g.actor, g.text, g.data
  from unnest($10::int[], $11::int[], $12::bigint[], $13::text[], $14::text[], $15::text[], $16::text[], $17::jsonb[])
    as g (first, last, at, kind, node_id, actor, text, data)`;

/**
 * Writes runs back and appends their history. Most batches tell of each run once, in the order in which they move: their ids, which
 * are most of what is sent, are sent and read once for both.
 */
export function writeSteps(
  tx: Tx,
  workspaceId: string,
  changes: readonly RunChange[],
  events: readonly RunEvent[],
): Promise<unknown> {
  const moves = movesOf(changes);
  const groups = eventGroups(events);
  if (moves.together.length > 0 && moves.each.length === 0 && moves.whole.length === 0) {
    const ids = sharedIds(moves.together, groups);
    if (ids) {
      const values = [arrayText(ids), ...movedTo(moves.together), workspaceId, ...toldOf(groups)];
      return tx.named('step_together', STEP_TOGETHER, values);
    }
  }
  return Promise.all([writeMoves(tx, moves), appendGroups(tx, workspaceId, groups, events)]);
}

/** The ids of both, when they are the same in the same order; otherwise null. */
function sharedIds(moved: readonly Group<RunRow>[], told: readonly Group<RunEvent>[]): string[] | null {
  const ids = moved.flatMap((group) => group.rows.map((run) => run.id));
  if (!worthGrouping(told.length, ids.length)) return null;
  let place = 0;
  for (const { rows } of told) for (const event of rows) if (event.runId !== ids[place++]) return null;
  return place === ids.length ? ids : null;
}
