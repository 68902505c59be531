import { canonicalJson } from '../base/json.ts';
import type { KubeClient } from './client.ts';
import { apiVersionOf, type Resource, type SpecObject } from './types.ts';

export interface StatusWrite<T extends SpecObject> {
  client: KubeClient;
  resource: Resource;
  /** The object as it was observed. */
  object: T;
  /** The whole status that should be, times included. */
  status: object;
  fieldManager: string;
  signal?: AbortSignal;
}

/** What was written on top of an object as it was observed: the cache may show it so for a while yet. */
const written = new WeakMap<object, object>();

/**
 * Writes the status once, and only when it differs from what was observed: two reconciles of an unchanged object
 * make no request at all. Server-side apply with force. An API server does not hold a status to the uid that it names: where
 * another object took the name meanwhile, the look at that one writes its own.
 * @returns the object as it is now and whether it was written
 */
export async function applyStatusIfChanged<T extends SpecObject>(
  write: StatusWrite<T>,
): Promise<{ object: T; written: boolean }> {
  const { client, resource, object, status, fieldManager, signal } = write;
  if (sameStatus(written.get(object) ?? object.status, status)) return { object, written: false };
  const { name, namespace, uid } = object.metadata;
  const metadata = { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) };
  const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, status } as SpecObject;
  // Until it is answered the server may have either.
  written.set(object, {});
  const applied = await client.apply(resource, body, { fieldManager, force: true, subresource: 'status', signal });
  written.set(object, status);
  return { object: applied as T, written: true };
}

/** Equality of what would be sent: key order and absent values do not count. */
export function sameStatus(a: unknown, b: unknown): boolean {
  return canonicalJson(plain(a)) === canonicalJson(plain(b));
}

function plain(status: unknown): unknown {
  return JSON.parse(JSON.stringify(status ?? {}));
}
