import type { ObjectStore } from './object-store.ts';
import { groupVersion } from './registry.ts';
import { badRequest, expired } from './status.ts';
import { partialOf } from './table.ts';
import type { Kind, Stored } from './types.ts';
import type { View } from './watching.ts';

/** One page of a list. */
export interface Page {
  items: Stored[];
  /** Resource version of the list. */
  version: string;
  /** Token of the next page; '' on the last. */
  next: string;
  /** Objects that follow. */
  left: number;
}

/** Pages by name; a token of before a restart is expired (410), as after a compaction. */
export function pageOf(
  store: ObjectStore,
  kind: Kind,
  namespace: string,
  matches: (object: Stored) => boolean,
  limit: number,
  token: string,
): Page {
  const start = token === '' ? undefined : parseToken(token);
  // All pages show one moment: what changes between two of them is told by a watch from there.
  const objects = start ? store.listAt(kind, namespace, start.version) : store.list(kind, namespace);
  if (!objects) throw expired('The provided continue parameter is too old');
  const keyOf = (object: Stored): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
  const found = objects.filter(matches);
  const rest = start ? found.filter((object) => keyOf(object) > start.after) : found;
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const version = String(start?.version ?? store.version);
  const last = items.at(-1);
  const left = rest.length - items.length;
  const next =
    left > 0 && last
      ? Buffer.from(JSON.stringify({ version: Number(version), after: keyOf(last) })).toString('base64url')
      : '';
  return { items, version, next, left };
}

function parseToken(token: string): { version: number; after: string } {
  try {
    const value = JSON.parse(Buffer.from(token, 'base64url').toString()) as { version: number; after: string };
    if (typeof value.version === 'number' && typeof value.after === 'string') return value;
  } catch {
    // falls through to the refusal
  }
  throw badRequest('continue key is not valid');
}

/** A list in the form that the client asked for. */
export function listOf(
  kind: Kind,
  objects: Stored[],
  view: View,
  metadata: object,
  table: (metadata: object) => object,
): object {
  if (view === 'table') return table(metadata);
  if (view === 'partial') {
    const items = objects.map(partialOf);
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items };
  }
  const items = objects.map((object) => kind.show?.(object) ?? object);
  return { kind: kind.listKind, apiVersion: groupVersion(kind), metadata, items };
}
