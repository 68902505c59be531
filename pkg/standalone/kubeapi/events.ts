import { isObject } from './schema.ts';
import type { Fields, Stored } from './types.ts';

/** Field names of events.k8s.io/v1 and their names in the core group; both groups show the same stored Event. */
const NAMES: readonly (readonly [stored: string, core: string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** A core/v1 Event as it is stored (events.k8s.io/v1); anything else is returned as it is. */
export function fromCoreEvent(body: unknown): unknown {
  if (!isObject(body) || Array.isArray(body)) return body;
  const event: Fields = { ...body, ...(body['apiVersion'] === 'v1' ? { apiVersion: 'events.k8s.io/v1' } : {}) };
  for (const [stored, core] of NAMES) rename(event, core, stored);
  return event;
}

/** The core/v1 form of a stored Event, which `kubectl describe` reads. */
export function toCoreEvent(object: Stored): Stored {
  const event: Stored = { ...object, apiVersion: 'v1' };
  for (const [stored, core] of NAMES) rename(event, stored, core);
  const series = isObject(object['series']) ? object['series'] : {};
  const time = object['eventTime'] ?? object.metadata.creationTimestamp;
  event['source'] ??= { component: object['reportingController'] ?? '' };
  event['count'] ??= series['count'] ?? 1;
  const seconds = (value: unknown): string => `${String(value).slice(0, 19)}Z`;
  event['firstTimestamp'] ??= seconds(time);
  event['lastTimestamp'] ??= seconds(series['lastObservedTime'] ?? time);
  return event;
}

function rename(object: Fields, from: string, to: string): void {
  if (object[from] === undefined) return;
  object[to] = object[from];
  delete object[from];
}
