import { isObject } from './schema.ts';
import type { Column, Kind, Stored } from './types.ts';

/** Columns of built-in kinds; everything else shows name and age. */
const BUILTIN: Record<string, Column[]> = {
  pods: [
    { name: 'Ready', type: 'string', jsonPath: '.ready' },
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
    { name: 'Restarts', type: 'integer', jsonPath: '.status.containerStatuses[0].restartCount' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  namespaces: [
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  events: [
    { name: 'Last Seen', type: 'date', jsonPath: '.lastSeen' },
    { name: 'Type', type: 'string', jsonPath: '.type' },
    { name: 'Reason', type: 'string', jsonPath: '.reason' },
    { name: 'Object', type: 'string', jsonPath: '.regarding' },
    { name: 'Message', type: 'string', jsonPath: '.note' },
  ],
};
const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Reads a JSON path of the printer's subset: `.a.b`, `['a']`, `[0]`, `[?(@.type=="Ready")]`. */
export function readPath(object: unknown, path: string): unknown {
  const tokens = path.matchAll(
    /\.([A-Za-z0-9_-]+)|\['((?:[^'\\]|\\.)+)'\]|\[(\d+)\]|\[\?\(@\.([A-Za-z0-9_]+)==\s*['"]([^'"]*)['"]\)\]/g,
  );
  let value: unknown = object;
  for (const [, field, quoted, index, key, wanted] of tokens) {
    const name = field ?? quoted?.replace(/\\(.)/g, '$1');
    if (name !== undefined) value = isObject(value) ? value[name] : undefined;
    else if (index !== undefined) value = Array.isArray(value) ? value[Number(index)] : undefined;
    else
      value = Array.isArray(value)
        ? value.find((item) => isObject(item) && String(item[key ?? '']) === wanted)
        : undefined;
  }
  return value;
}

/** `5d3h`, `2m`, as kubectl prints durations. */
export function humanDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  if (days < 365 * 2) return `${days}d`;
  return days % 365 === 0 || days >= 365 * 8
    ? `${Math.floor(days / 365)}y`
    : `${Math.floor(days / 365)}y${days % 365}d`;
}

function cell(object: Stored, column: Column, now: number): unknown {
  if (column.jsonPath === '.ready') return readiness(object);
  const value = column.jsonPath === '.lastSeen' ? lastSeen(object) : readPath(object, column.jsonPath);
  if (column.jsonPath === '.regarding' && isObject(value))
    return `${String(value['kind']).toLowerCase()}/${value['name']}`;
  if (value === undefined || value === null) return column.type === 'string' || column.type === 'date' ? '' : null;
  if (column.type === 'date') return humanDuration(now - Date.parse(String(value)));
  if (column.type === 'string') return typeof value === 'string' ? value : JSON.stringify(value);
  return value;
}

/** When an Event happened last: each time that it is told again, its series says so. */
function lastSeen(event: Stored): unknown {
  return (
    readPath(event, '.series.lastObservedTime') ??
    readPath(event, '.deprecatedLastTimestamp') ??
    readPath(event, '.eventTime') ??
    event.metadata.creationTimestamp
  );
}

function readiness(pod: Stored): string {
  const statuses = readPath(pod, '.status.containerStatuses');
  const list = Array.isArray(statuses) ? statuses : [];
  return `${list.filter((entry) => isObject(entry) && entry['ready'] === true).length}/${Math.max(1, list.length)}`;
}

const NAME = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
};

/** Server-side printing: what kubectl shows without knowing the kind. */
export function tableOf(kind: Kind, objects: Stored[], now: number, includeObject: string, metadata: object): object {
  const extra = kind.columns.length > 0 ? kind.columns : (BUILTIN[kind.plural] ?? [AGE]);
  // The name of an Event says nothing: it is shown last, and on demand.
  const last = kind.plural === 'events';
  const name = { ...NAME, priority: last ? 1 : 0 };
  const others = extra.map((column) => ({
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? '',
    priority: column.priority ?? 0,
  }));
  const columnDefinitions = last ? [...others, name] : [name, ...others];
  const cellsOf = (object: Stored): unknown[] => extra.map((column) => cell(object, column, now));
  const rows = objects.map((object) => ({
    cells: last ? [...cellsOf(object), object.metadata.name] : [object.metadata.name, ...cellsOf(object)],
    ...(includeObject === 'None'
      ? {}
      : { object: includeObject === 'Object' ? (kind.show?.(object) ?? object) : partialOf(object) }),
  }));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows };
}

/** Only the metadata of an object. */
export function partialOf(object: Stored): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
