import type { KubeClient } from './client.ts';
import { isConflict, isNotFound } from './kube-error.ts';
import type { KubeObject, ObjectMeta, Resource } from './types.ts';

const TRIES = 5;

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Adds the finalizer, before the first effect outside the cluster. Writes nothing when it is there, and never to an
 * object that is being deleted (the server answers 422).
 * @returns the object as it is now; undefined: it is gone, or another one has its name
 */
export async function addFinalizer<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  object: T,
  finalizer: string,
  fieldManager: string,
): Promise<T | undefined> {
  const change = (current: T): string[] | undefined =>
    current.metadata.deletionTimestamp || hasFinalizer(current, finalizer)
      ? undefined
      : [...(current.metadata.finalizers ?? []), finalizer];
  return write(client, resource, object, change, fieldManager);
}

/** Removes the finalizer; an object that is gone already is as good. */
export async function removeFinalizer<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  object: T,
  finalizer: string,
  fieldManager: string,
): Promise<void> {
  const change = (current: T): string[] | undefined =>
    hasFinalizer(current, finalizer) ? current.metadata.finalizers?.filter((other) => other !== finalizer) : undefined;
  await write(client, resource, object, change, fieldManager);
}

/** Compare-and-set of the whole list: a merge patch replaces lists, so it must not undo another controller's entry. */
async function write<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  object: T,
  change: (current: T) => string[] | undefined,
  fieldManager: string,
): Promise<T | undefined> {
  let current: T | undefined = object;
  for (let attempt = 1; current; attempt++) {
    const finalizers = change(current);
    if (!finalizers) return current;
    const { resourceVersion, uid }: ObjectMeta = current.metadata;
    try {
      const patch = { metadata: { finalizers, resourceVersion, uid } };
      return await client.mergePatch<T>(resource, current.metadata, patch, { fieldManager });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || attempt >= TRIES) throw error;
      const fresh: T | undefined = await client.find<T>(resource, current.metadata);
      // Another object under the same name is not ours to touch.
      current = fresh?.metadata.uid === uid ? fresh : undefined;
    }
  }
  return undefined;
}
