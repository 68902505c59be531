import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { type Group, groupsOf, type Likeness, spansOf, worthGrouping } from '../grouped.ts';
import type { RunRow } from './runs.ts';

/** That a run is over since `at` (epoch ms UTC, product time), and why. */
export interface RunEnd {
  at: number;
  reason: string;
}

/** A run and what it was when it was claimed. */
export interface RunChange {
  before: RunRow;
  run: RunRow;
  /** Null: it goes on. */
  end: RunEnd | null;
}

/** How a batch of runs is written: what changed more than its place is written whole. */
export interface RunMoves {
  /** Runs without a send that move together, by place. */
  together: readonly Group<RunRow>[];
  each: readonly RunRow[];
  whole: readonly RunChange[];
}

/** Runs that only moved are written by narrow statements, the others whole. */
export function movesOf(changes: readonly RunChange[]): RunMoves {
  const moved: RunRow[] = [];
  const whole: RunChange[] = [];
  for (const change of changes) {
    if (onlyMoved(change)) moved.push(change.run);
    else whole.push(change);
  }
  const sending = moved.filter((run) => run.sendId !== null);
  const others = sending.length === 0 ? moved : moved.filter((run) => run.sendId === null);
  const groups = moveGroups(others);
  const enough = sending.length === 0 || others.length >= OWN_STATEMENT;
  if (!enough || !worthGrouping(groups.length, others.length)) return { together: [], each: moved, whole };
  return { together: groups, each: sending, whole };
}

/** The one who awaits it keeps none of the runs: by then they are texts. */
export function writeMoves(tx: Tx, { together, each, whole }: RunMoves): Promise<unknown> {
  return Promise.all([
    together.length > 0 ? moveTogether(tx, together) : undefined,
    each.length > 0 ? moveEach(tx, each) : undefined,
    whole.length > 0 ? writeWhole(tx, whole) : undefined,
  ]);
}

/** Whether nothing changed but where the run stands, until when, and its send. */
function onlyMoved({ before, run, end }: RunChange): boolean {
  return (
    end === null &&
    before.accountId === run.accountId &&
    before.graphVersion === run.graphVersion &&
    sameJson(before.facts, run.facts) &&
    sameJson(before.arms, run.arms)
  );
}

function sameJson(before: object | null, after: object | null): boolean {
  if (before === after) return true;
  if (before === null || after === null) return false;
  // Most runs remember nothing.
  if (isEmpty(before)) return isEmpty(after);
  return JSON.stringify(before) === JSON.stringify(after);
}

function isEmpty(value: object): boolean {
  for (const _key in value) return false;
  return true;
}

/** Runs without a send that now stand at one place until one time. */
const ALIKE: Likeness<RunRow> = {
  hint: (run) => run.nodeId,
  same: (one, other) =>
    one.nodeId === other.nodeId &&
    one.state === other.state &&
    one.waitReason === other.waitReason &&
    one.dueAt === other.dueAt &&
    one.enteredAt === other.enteredAt,
  // Only the node's id may have spaces.
  key: ({ state, waitReason, dueAt, enteredAt, nodeId }) => `${state} ${waitReason} ${dueAt} ${enteredAt} ${nodeId}`,
};

/** Groups of runs that moved to one place. */
export function moveGroups(runs: readonly RunRow[]): Group<RunRow>[] {
  return groupsOf(runs, ALIKE);
}

/** What moves together must be so many runs for a statement of its own beside that for those with a send, which each have their own. */
const OWN_STATEMENT = 50;

/** Texts of the moves; exported so that a test can assert their plans. An array of keys is read in one walk of the index. */
export const MOVE_TOGETHER = `update run r
                              set
                                node_id = g.node_id,
                                state = g.state,
                                wait_reason = g.wait_reason,
                                due_at = g.due_at,
                                entered_at = g.entered_at,
                                send_id = null,
                                version = r.version + 1
                              from unnest(
                                $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::bigint[],
                                $8::bigint[]
                              ) as g (first, last, node_id, state, wait_reason, due_at, entered_at)
                              where r.id = any (($1::uuid[])[g.first:g.last])`;
// Unnested in a select list nothing is kept in between, as it is in the from clause.
const PLACES = `unnest($1::uuid[]) as id, unnest($2::text[]) as node_id, unnest($3::text[]) as state, unnest($4::text[]) as wait_reason,
    unnest($5::bigint[]) as due_at, unnest($6::bigint[]) as entered_at, unnest($7::uuid[]) as send_id`;
export const MOVE_EACH = `update run r
                          set
                            node_id = u.node_id,
                            state = u.state,
                            wait_reason = u.wait_reason,
                            due_at = u.due_at,
                            entered_at = u.entered_at,
                            send_id = u.send_id,
                            version = r.version + 1
                          from (select ${PLACES}) as u
                          where r.id = u.id`;
export const WRITE_WHOLE = `update run r
                            set
                              node_id = u.node_id,
                              state = u.state,
                              wait_reason = u.wait_reason,
                              due_at = u.due_at,
                              entered_at = u.entered_at,
                              send_id = u.send_id,
                              account_id = u.account_id,
                              arms = u.arms,
                              facts = u.facts,
                              graph_version = u.graph_version,
                              ended_at = u.ended_at,
                              end_reason = u.end_reason,
                              version = r.version + 1
                            from (
                              select
                                ${PLACES},
                                unnest($8::text[]) as account_id,
                                unnest($9::jsonb[]) as arms,
                                unnest($10::jsonb[]) as facts,
                                unnest($11::int[]) as graph_version,
                                unnest($12::bigint[]) as ended_at,
                                unnest($13::text[]) as end_reason
                            ) as u
                            where r.id = u.id`;

function moveTogether(tx: Tx, groups: readonly Group<RunRow>[]): Promise<unknown> {
  const ids = idsOf(groups.flatMap((group) => group.rows));
  return tx.named('move_together', MOVE_TOGETHER, [ids, ...movedTo(groups)]);
}

/** Where each group of runs lies among the ids of all, and where it moved. */
export function movedTo(groups: readonly Group<RunRow>[]): string[] {
  const { first, last } = spansOf(groups);
  return [arrayText(first), arrayText(last), ...placesOf(groups.map((group) => group.like))];
}

function moveEach(tx: Tx, runs: readonly RunRow[]): Promise<unknown> {
  return tx.named('move_each', MOVE_EACH, [idsOf(runs), ...placesOf(runs), sendsOf(runs)]);
}

function writeWhole(tx: Tx, changes: readonly RunChange[]): Promise<unknown> {
  const runs = changes.map((change) => change.run);
  return tx.named('write_runs', WRITE_WHOLE, [
    idsOf(runs),
    ...placesOf(runs),
    sendsOf(runs),
    arrayText(runs.map((run) => run.accountId)),
    arrayText(runs.map((run) => (run.arms ? JSON.stringify(run.arms) : null))),
    arrayText(runs.map((run) => JSON.stringify(run.facts))),
    arrayText(runs.map((run) => run.graphVersion)),
    arrayText(changes.map(({ end }) => end?.at ?? null)),
    arrayText(changes.map(({ end }) => end?.reason ?? null)),
  ]);
}

function idsOf(runs: readonly RunRow[]): string {
  return arrayText(runs.map((run) => run.id));
}

function sendsOf(runs: readonly RunRow[]): string {
  return arrayText(runs.map((run) => run.sendId));
}

/** Node, state, reason, due and entry times, as arrays. */
function placesOf(runs: readonly RunRow[]): string[] {
  return [
    arrayText(runs.map((run) => run.nodeId)),
    arrayText(runs.map((run) => run.state)),
    arrayText(runs.map((run) => run.waitReason)),
    arrayText(runs.map((run) => run.dueAt)),
    arrayText(runs.map((run) => run.enteredAt)),
  ];
}
