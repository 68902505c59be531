import { canonicalJson } from '../base/json.ts';
import type { KubeObject } from './types.ts';

/** Whether an update is worth a reconcile. */
export type Predicate<T extends KubeObject = KubeObject> = (previous: T, object: T) => boolean;

/**
 * Drops the echo of our own status writes, which is how operators come to reconcile in a hot loop
 * (keycloak-operator #122, hive #343): only what a person or another controller sets counts.
 */
export const specChanged: Predicate = (previous, object) => {
  const a = previous.metadata;
  const b = object.metadata;
  if (a.generation !== b.generation || a.deletionTimestamp !== b.deletionTimestamp) return true;
  return [
    [a.labels, b.labels],
    [a.annotations, b.annotations],
    [a.finalizers, b.finalizers],
  ].some(([before, after]) => canonicalJson(before ?? {}) !== canonicalJson(after ?? {}));
};

/** For children whose status matters (Pods). */
export const anythingChanged: Predicate = (previous, object) =>
  previous.metadata.resourceVersion !== object.metadata.resourceVersion;
