/** Shapes of the Kubernetes API that the runtime itself reads; times are RFC 3339 strings as the server writes them. */

/** One API resource: how its URLs are made and what its objects are called. */
export interface Resource {
  /** Empty for the core group. */
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
}

/** Names one object; `namespace` is required exactly for namespaced resources. */
export interface ObjectRef {
  namespace?: string | undefined;
  name: string;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: unknown[];
}

/** Any object; concrete kinds extend it with their own fields. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object with the usual two halves. */
export interface SpecObject extends KubeObject {
  spec?: unknown;
  status?: unknown;
}

export interface KubeList<T extends KubeObject> {
  items: T[];
  /** Where a watch of this list begins. */
  resourceVersion: string;
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

export interface WatchEvent<T extends KubeObject> {
  type: WatchEventType;
  object: T;
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** metav1.Condition. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** CamelCase, for machines; never empty. */
  reason: string;
  /** One deterministic sentence for people, without times or counters that change at rest. */
  message: string;
  /** Changes only when `status` changes. */
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** `group/version`, or `version` for the core group. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The key under which stores and queues know an object: `namespace/name`, or `name` when cluster-scoped. */
export function keyOf(object: { metadata: { namespace?: string; name: string } }): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}
