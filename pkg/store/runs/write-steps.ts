import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { type Group, worthGrouping } from '../grouped.ts';
import { MOVE_TOGETHER, movedTo, movesOf, type RunChange, type RunMoves, writeMoves } from './run-changes.ts';
import { appendGroups, appendGroupsText, eventGroups, type RunEvent, toldOf } from './run-events.ts';

/** Text of a batch whose every run moved and has one line of history for it; exported so that a test can assert its plan. */
export const STEP_TOGETHER = `with moved as (${MOVE_TOGETHER})
  ${appendGroupsText({ workspace: 9, ids: 1, groups: 10 })}`;

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
  const ids = worthGrouping(groups.length, events.length) ? sharedIds(moves, groups) : null;
  if (!ids) return Promise.all([writeMoves(tx, moves), appendGroups(tx, workspaceId, groups, events)]);
  const values = [arrayText(ids), ...movedTo(moves.together), workspaceId, ...toldOf(groups)];
  return tx.named('step_together', STEP_TOGETHER, values);
}

/** The ids of both, when all runs move together and are told of in the same order; otherwise null. */
function sharedIds({ together, each, whole }: RunMoves, told: readonly Group<RunEvent>[]): string[] | null {
  if (together.length === 0 || each.length > 0 || whole.length > 0) return null;
  const moved = together.flatMap((group) => group.rows.map((run) => run.id));
  const heard = told.flatMap((group) => group.rows.map((event) => event.runId));
  return moved.length === heard.length && moved.every((id, place) => id === heard[place]) ? moved : null;
}
