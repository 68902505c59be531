import type { SharedValues } from '../kube/shared-values.ts';
import type { KubeObject, ObjectMeta } from '../kube/types.ts';
import { FORCE_DELETE, RELEASE_HOLD } from './names.ts';

/** Index of Campaigns by Workspace and of Workflows by Campaign: `<namespace>/<name>` of the parent. */
export const BY_PARENT = 'parent';

/**
 * What the caches keep of one of our objects: metadata, what it refers to, its status. The rest of its spec is read from
 * the API server when something is to be done to it; `metadata.generation` tells when that is. So 40,000 objects fit
 * into a small process.
 */
export interface CachedObject extends KubeObject {
  /** `<namespace>/<name>` of what its spec refers to; empty for a Workspace. */
  parent: string;
  /** `spec.executor` of a Workspace, as it came. */
  executor?: unknown;
  status?: unknown;
}

/** Annotations that a reconcile looks at. */
const ANNOTATIONS = [RELEASE_HOLD, FORCE_DELETE];

interface Whole extends KubeObject {
  spec?: { executor?: unknown; workspaceRef?: { name?: string }; campaignRef?: { name?: string } };
  status?: unknown;
}

/** What is kept of an object of the API server; equal parts of several are kept once. */
export function cachedOf(object: KubeObject, shared: SharedValues): CachedObject {
  const { apiVersion, kind, spec, status }: Whole = object;
  const reference = spec?.workspaceRef ?? spec?.campaignRef;
  const seen: CachedObject = {
    apiVersion: shared.text(apiVersion),
    kind: shared.text(kind),
    metadata: metadataOf(object.metadata, shared),
    parent: reference ? `${object.metadata.namespace}/${reference.name ?? ''}` : '',
    status: shared.within(status),
  };
  if (spec?.executor !== undefined) seen.executor = shared.value(spec.executor);
  return seen;
}

function metadataOf(metadata: ObjectMeta, shared: SharedValues): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation, deletionTimestamp } = metadata;
  const kept: ObjectMeta = { name };
  if (namespace !== undefined) kept.namespace = shared.text(namespace);
  if (uid !== undefined) kept.uid = uid;
  if (resourceVersion !== undefined) kept.resourceVersion = resourceVersion;
  if (generation !== undefined) kept.generation = generation;
  if (deletionTimestamp !== undefined) kept.deletionTimestamp = deletionTimestamp;
  if (metadata.finalizers) kept.finalizers = shared.value(metadata.finalizers);
  if (metadata.ownerReferences) kept.ownerReferences = metadata.ownerReferences;
  const annotations = ANNOTATIONS.flatMap((name) => {
    const value = metadata.annotations?.[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  if (annotations.length > 0) kept.annotations = Object.fromEntries(annotations);
  return kept;
}
