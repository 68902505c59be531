import type { JsonObject } from '../../base/json.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { type Group, groupsOf, type Likeness, spansOf, worthGrouping } from '../grouped.ts';

/** One line of a run's history. */
export interface RunEvent {
  runId: string;
  /** Epoch ms UTC, product time. */
  at: number;
  kind: EventKind;
  nodeId: string | null;
  actor: string;
  text: string;
  data: JsonObject;
}

const ALIKE: Likeness<RunEvent> = {
  // The engine tells many runs the same by the same object (engine/step-done.ts).
  hint: (event) => event.data,
  same: (one, other) =>
    one.data === other.data &&
    one.at === other.at &&
    one.kind === other.kind &&
    one.nodeId === other.nodeId &&
    one.actor === other.actor &&
    one.text === other.text,
  key: ({ at, kind, nodeId, actor, text, data }) => JSON.stringify([at, kind, nodeId, actor, text, data]),
};

/**
 * Groups of events that say the same of many runs. All groups of the runs' first events come before those of their second
 * ones, and so on: written one group after the other, the events of each run keep their order.
 */
export function eventGroups(events: readonly RunEvent[]): Group<RunEvent>[] {
  const turns: RunEvent[][] = [];
  const told = new Map<string, number>();
  for (const event of events) {
    const turn = told.get(event.runId) ?? 0;
    told.set(event.runId, turn + 1);
    turns[turn] ??= [];
    turns[turn].push(event);
  }
  return turns.flatMap((turn) => groupsOf(turn, ALIKE));
}

const INTO = 'insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)';

/**
 * Texts of the appending of history; exported so that a test can assert what they do. `seq` rises as rows come, and these come
 * in order: there is nothing to join or sort, the places of a group follow each other, and so do the groups.
 */
export const APPEND_GROUPS = appendGroupsText({ workspace: 1, ids: 2, groups: 3 });
// Unnested in the select list nothing is kept in between, as it is in the from clause.
export const APPEND_EACH = `${INTO}
  select $1, unnest($2::uuid[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::text[]), unnest($6::text[]), unnest($7::text[]), unnest($8::jsonb[])`;

/** @param at numbers of its parameters; `groups`: of the first of the eight that `toldOf` gives */
export function appendGroupsText(at: { workspace: number; ids: number; groups: number }): string {
  const types = ['int', 'int', 'bigint', 'text', 'text', 'text', 'text', 'jsonb'];
  const groups = types.map((type, place) => `$${at.groups + place}::${type}[]`).join(', ');
  return `${INTO}
  select $${at.workspace}, unnest(($${at.ids}::uuid[])[g.first:g.last]), g.at, g.kind, g.node_id, g.actor, g.text, g.data
  from unnest(${groups})
    as g (first, last, at, kind, node_id, actor, text, data)`;
}

/** Appends history in one statement; what is the same for many runs is sent, parsed and checked once. */
export function appendEvents(tx: Tx, workspaceId: string, events: readonly RunEvent[]): Promise<unknown> {
  return appendGroups(tx, workspaceId, eventGroups(events), events);
}

/** @param groups of the same events */
export function appendGroups(
  tx: Tx,
  workspaceId: string,
  groups: readonly Group<RunEvent>[],
  events: readonly RunEvent[],
): Promise<unknown> {
  if (events.length === 0) return Promise.resolve();
  if (!worthGrouping(groups.length, events.length)) {
    return tx.named('append_each', APPEND_EACH, [workspaceId, runIds(events), ...said(events)]);
  }
  const ids = runIds(groups.flatMap((group) => group.rows));
  return tx.named('append_groups', APPEND_GROUPS, [workspaceId, ids, ...toldOf(groups)]);
}

/** Where each group of events lies among the ids of all their runs, and what it says. */
export function toldOf(groups: readonly Group<RunEvent>[]): string[] {
  const { first, last } = spansOf(groups);
  return [arrayText(first), arrayText(last), ...said(groups.map((group) => group.like))];
}

function runIds(events: readonly RunEvent[]): string {
  return arrayText(events.map((event) => event.runId));
}

/** Time, kind, node, actor, text and data, as arrays. */
function said(events: readonly RunEvent[]): string[] {
  return [
    arrayText(events.map((event) => event.at)),
    arrayText(events.map((event) => event.kind)),
    arrayText(events.map((event) => event.nodeId)),
    arrayText(events.map((event) => event.actor)),
    arrayText(events.map((event) => event.text)),
    arrayText(events.map((event) => JSON.stringify(event.data))),
  ];
}
