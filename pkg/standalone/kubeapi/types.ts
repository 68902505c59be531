/** Any JSON object as the API stores it. */
export type Fields = { [key: string]: unknown };

/** Metadata that every object has once it is stored. */
export interface Metadata extends Fields {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller?: boolean;
    blockOwnerDeletion?: boolean;
  }[];
  managedFields?: ManagedFields[];
}

/** A stored object. */
export interface Stored extends Fields {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
}

/** Who owns which fields (server-side apply). */
export interface ManagedFields {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: Fields;
  subresource?: string;
}

/** A structural schema (the part of OpenAPI v3 that CustomResourceDefinitions allow). */
export interface Schema {
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  nullable?: boolean;
  title?: string;
  example?: unknown;
  externalDocs?: unknown;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-validations'?: CelRule[];
}

/** One CEL rule. */
export interface CelRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** A column of `kubectl get`. */
export interface Column {
  name: string;
  type: string;
  jsonPath: string;
  description?: string;
  priority?: number;
  format?: string;
}

/** A kind that is served. */
export interface Kind {
  group: string;
  version: string;
  plural: string;
  singular: string;
  kind: string;
  listKind: string;
  shortNames: string[];
  categories: string[];
  namespaced: boolean;
  /** Whether status is a subresource. */
  hasStatus: boolean;
  /** Null: built-in, stored as it comes. */
  schema: Schema | null;
  columns: Column[];
  /** JSON paths that may be used as field selectors besides name and namespace. */
  selectable: string[];
  /** How a stored object is shown under this group; absent: as it is. */
  show?: (object: Stored) => Stored;
  /** How a body of this group is stored; absent: as it is. */
  read?: (body: unknown) => unknown;
  /** Whether the generation counts changes of the spec. */
  hasGeneration: boolean;
}
