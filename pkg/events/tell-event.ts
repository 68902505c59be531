import type { JsonObject } from '../base/json.ts';
import type { EventKind } from '../domain/event-kinds.ts';
import type { EventDefinition } from './event-definition.ts';
import { EVENT_DEFINITIONS } from './event-definitions.ts';
import type { EventEnvelope } from './event-envelope.ts';

/** What an event is told from: a row of the record of all that happened. */
export interface ToldFrom {
  workspaceId: string;
  number: number;
  seq: number;
  /** Epoch ms, product time. */
  at: number;
  kind: EventKind;
  data: JsonObject;
  runId: string | null;
  nodeId: string | null;
  leadId: string | null;
  workflowId: string | null;
  campaignId: string | null;
}

/**
 * The event as readers outside get it. Its data are what the kind's schema names, and nothing else that the row may hold: a field that is
 * added for the engine's own use leaves the house only once the schema says so.
 */
export function tellEvent(row: ToldFrom): EventEnvelope {
  return {
    id: eventId(row.seq),
    kind: row.kind,
    occurredAt: new Date(row.at).toISOString(),
    workspaceId: row.workspaceId,
    sequence: row.number,
    data: dataOf(row),
  };
}

/** The id of an event, for every reader the same. @param seq its place in the record */
export const eventId = (seq: number): string => `evt_${seq}`;

function dataOf({ kind, data, runId, nodeId, leadId, workflowId, campaignId }: ToldFrom): JsonObject {
  const { data: schema }: EventDefinition = EVENT_DEFINITIONS[kind];
  const all: JsonObject = { runId, nodeId, leadId, workflowId, campaignId, ...data };
  const names = Object.keys(schema.shape);
  return Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
}
