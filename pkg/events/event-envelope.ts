import type { JsonObject } from '../base/json.ts';
import type { EventKind } from '../domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from './event-definitions.ts';

/** An event as readers outside get it. Source: catalog `webhook.envelope`. */
export interface EventEnvelope {
  /** The same for every reader and every delivery. */
  id: string;
  kind: EventKind;
  /** ISO 8601, UTC. */
  occurredAt: string;
  workspaceId: string;
  /** Rises by one from event to event of the workspace. */
  sequence: number;
  data: JsonObject;
}

/** What a delivery of the kind looks like. */
export function sampleEnvelope(kind: EventKind): EventEnvelope {
  return {
    id: 'evt_4711',
    kind,
    occurredAt: '2026-11-30T08:15:00.000Z',
    workspaceId: 'acme',
    sequence: 42,
    data: EVENT_DEFINITIONS[kind].sample,
  };
}
