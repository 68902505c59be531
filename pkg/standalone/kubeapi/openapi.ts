import { groupVersion } from './registry.ts';
import type { Kind, Schema } from './types.ts';

const METADATA: Schema = {
  type: 'object',
  description: 'ObjectMeta is metadata that all persisted resources must have.',
  properties: {
    name: { type: 'string', description: 'Name must be unique within a namespace.' },
    generateName: { type: 'string' },
    namespace: { type: 'string' },
    uid: { type: 'string' },
    resourceVersion: { type: 'string' },
    generation: { type: 'integer', format: 'int64' },
    creationTimestamp: { type: 'string', format: 'date-time' },
    deletionTimestamp: { type: 'string', format: 'date-time' },
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', items: { type: 'string' } },
    ownerReferences: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    managedFields: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
};

/** `/openapi/v3`: one document per group and version. */
export function openapiIndex(kinds: Kind[], version: number): object {
  const paths: Record<string, object> = {};
  for (const kind of kinds) {
    const path = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${version}` };
  }
  return { paths };
}

/** The document of one group and version, enough for explain and for the validation of kubectl. */
export function openapiDocument(kinds: Kind[]): object {
  const schemas: Record<string, object> = {};
  const paths: Record<string, object> = {};
  for (const kind of kinds) {
    const name = schemaName(kind);
    schemas[name] = { ...documented(kind), 'x-kubernetes-group-version-kind': [gvk(kind)] };
    const prefix = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
    const collection = kind.namespaced ? `${prefix}/namespaces/{namespace}/${kind.plural}` : `${prefix}/${kind.plural}`;
    paths[collection] = { get: operation(kind, name, 'list'), post: operation(kind, name, 'post') };
    paths[`${collection}/{name}`] = {
      get: operation(kind, name, 'get'),
      put: operation(kind, name, 'put'),
      patch: operation(kind, name, 'patch'),
      delete: operation(kind, name, 'delete'),
    };
  }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.35.0' }, paths, components: { schemas } };
}

function operation(kind: Kind, schema: string, action: string): object {
  const reference = { $ref: `#/components/schemas/${schema}` };
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string' },
  }));
  return {
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk(kind),
    parameters,
    responses: { 200: { description: 'OK', content: { 'application/json': { schema: reference } } } },
  };
}

function documented(kind: Kind): object {
  const own = kind.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    ...own,
    properties: {
      apiVersion: {
        type: 'string',
        description: 'APIVersion defines the versioned schema of this representation of an object.',
      },
      kind: {
        type: 'string',
        description: 'Kind is a string value representing the REST resource this object represents.',
      },
      ...own.properties,
      metadata: METADATA,
    },
  };
}

function gvk(kind: Kind): object {
  return { group: kind.group, version: kind.version, kind: kind.kind };
}

function schemaName(kind: Kind): string {
  const group = kind.group === '' ? 'io.k8s.api.core' : kind.group.split('.').reverse().join('.');
  return `${group}.${kind.version}.${kind.kind}`.replace(groupVersion(kind), `${group}.${kind.version}`);
}
