import type { JsonObject } from '../../base/json.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import type { Tx } from '../../postgres/database.ts';

/** Who follows events through the database; each has a position of its own in each workspace. */
export type EventReader = 'notifications' | 'deliveries';

/** An event as it was written, with its number and what its run belongs to. */
export interface StoredEvent {
  workspaceId: string;
  /** 1, 2, 3 … of the workspace, without holes. */
  number: number;
  /** Of all workspaces; an event's id is made of it. */
  seq: number;
  /** Epoch ms, product time. */
  at: number;
  kind: EventKind;
  /** Who did it: 'engine', 'lead', 'system', a source, a user or a key. */
  actor: string;
  /** For people. */
  text: string;
  data: JsonObject;
  runId: string | null;
  nodeId: string | null;
  leadId: string | null;
  workflowId: string | null;
  campaignId: string | null;
}

/** Events that a reader takes from one workspace at a time: every other workspace has its turn. */
export const READ_AT_ONCE = 500;

/** Workspaces in which the reader has something to read, those that waited longest first. Platform only. */
export async function workspacesToRead(tx: Tx, reader: EventReader, limit: number): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `select h.workspace_id as id
     from event_head h
     left join event_reader r on r.workspace_id = h.workspace_id and r.reader = $1
     where h.last > coalesce(r.position, 0)
     order by r.read_at nulls first, h.workspace_id
     limit $2`,
    [reader, limit],
  );
  return rows.map((row) => row.id);
}

/**
 * Takes the next events of a workspace for a reader, in the order of their numbers, and moves its position: what the caller does with
 * them in this transaction happens once, also where a process dies. Platform only.
 * @param now epoch ms, real time
 * @returns nothing too while another process reads there
 */
export async function readEvents(
  tx: Tx,
  reader: EventReader,
  workspaceId: string,
  now: number,
  limit = READ_AT_ONCE,
): Promise<StoredEvent[]> {
  // Where the row is there, nothing is inserted: on conflict would wait for the other process.
  await tx.exec(
    `insert into event_reader (workspace_id, reader)
     select $1, $2 where not exists (select 1 from event_reader where workspace_id = $1 and reader = $2)
     on conflict do nothing`,
    [workspaceId, reader],
  );
  const held = await tx.row<{ position: number }>(
    'select position from event_reader where workspace_id = $1 and reader = $2 for update skip locked',
    [workspaceId, reader],
  );
  if (!held) return [];
  const head = await tx.row<{ last: number }>('select last from event_head where workspace_id = $1', [workspaceId]);
  const found = await tx.rows<StoredEvent & { gone: boolean }>(EVENTS_AFTER, [workspaceId, held.position, limit]);
  // Numbers that retention took leave nothing to read up to the head, which was read before: all below it is to be seen.
  const last = Math.max(found.at(-1)?.number ?? held.position, found.length < limit ? (head?.last ?? 0) : 0);
  await tx.exec('update event_reader set position = $3, read_at = $4 where workspace_id = $1 and reader = $2', [
    workspaceId,
    reader,
    last,
    now,
  ]);
  return found.filter(({ gone }) => !gone).map(({ gone: _, ...event }) => event);
}

/** The number of the newest event of each workspace that has any. Platform only. */
export async function eventHeads(tx: Tx, workspaces: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.rows<{ id: string; last: number }>(
    'select workspace_id as id, last from event_head where workspace_id = any ($1)',
    [workspaces],
  );
  return new Map(rows.map(({ id, last }) => [id, last]));
}

/**
 * Events of a workspace behind a number, in their order; those that retention took are left out.
 * @returns `last`: the number to go on behind, where there may be more
 */
export async function eventsAfter(
  tx: Tx,
  { workspaceId, number, limit }: { workspaceId: string; number: number; limit: number },
): Promise<{ events: StoredEvent[]; last: number | undefined }> {
  const found = await tx.rows<StoredEvent & { gone: boolean }>(EVENTS_AFTER, [workspaceId, number, limit]);
  const events = found.filter(({ gone }) => !gone).map(({ gone: _, ...event }) => event);
  return { events, last: found.length < limit ? undefined : found.at(-1)?.number };
}

/** A stretch of product time (epoch ms) of a workspace. */
export interface NumberedAsked {
  workspaceId: string;
  kinds: readonly EventKind[];
  from: number;
  to: number;
  limit: number;
}

/** Numbers of a workspace, the newest, among which `readNumbered` looks. */
const LOOKED_AT = 200_000;

/** Events of a stretch of time that have a number, in its order, read or not; among the newest of the workspace only. */
export function readNumbered(tx: Tx, { workspaceId, kinds, from, to, limit }: NumberedAsked): Promise<StoredEvent[]> {
  return tx.rows<StoredEvent>(
    `${STORED}
     from (
       select *
       from event_number
       where workspace_id = $1
         and number > (select h.last - ${LOOKED_AT} from event_head h where h.workspace_id = $1)
         and kind = any ($2)
         and at between $3 and $4
       order by number limit $5
     ) n
     join run_event e on e.seq = n.seq and e.at = n.at and e.workspace_id = n.workspace_id
     left join run r on r.id = e.run_id
     order by n.number`,
    [workspaceId, kinds, from, to, limit],
  );
}

const STORED = `
  select
    n.workspace_id as "workspaceId", n.number, n.seq, n.at, n.kind, e.actor, e.text, e.data, e.run_id as "runId",
    e.node_id as "nodeId", r.lead_id as "leadId", r.workflow_id as "workflowId", r.campaign_id as "campaignId"`;

/**
 * $1 workspace, $2 number, $3 limit. The month of an event is found by its time. `gone`: retention took the event, which leaves its
 * number for a reader to pass over.
 */
const EVENTS_AFTER = `${STORED}, e.seq is null as gone
  from (
    select * from event_number where workspace_id = $1 and number > $2 order by number limit $3
  ) n
  left join run_event e on e.seq = n.seq and e.at = n.at and e.workspace_id = n.workspace_id
  left join run r on r.id = e.run_id
  order by n.number`;
