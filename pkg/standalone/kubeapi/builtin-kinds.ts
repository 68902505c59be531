import { fromCoreEvent, toCoreEvent } from './events.ts';
import type { Kind } from './types.ts';

function builtin(group: string, version: string, plural: string, kind: string, options: Partial<Kind> = {}): Kind {
  return {
    group,
    version,
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    namespaced: true,
    hasStatus: false,
    schema: null,
    columns: [],
    selectable: [],
    hasGeneration: false,
    ...options,
  };
}

export const CRD_KIND = builtin('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', {
  namespaced: false,
  hasStatus: true,
  shortNames: ['crd', 'crds'],
  hasGeneration: true,
});
export const NAMESPACE_KIND = builtin('', 'v1', 'namespaces', 'Namespace', {
  namespaced: false,
  hasStatus: true,
  shortNames: ['ns'],
});
export const POD_KIND = builtin('', 'v1', 'pods', 'Pod', { hasStatus: true, shortNames: ['po'], categories: ['all'] });
export const EVENT_KIND = builtin('events.k8s.io', 'v1', 'events', 'Event', { shortNames: ['ev'] });
/** The core name of the same events; stored once, under events.k8s.io. */
export const CORE_EVENT_KIND = builtin('', 'v1', 'events', 'Event', {
  shortNames: ['ev'],
  show: toCoreEvent,
  read: fromCoreEvent,
});

/** The built-in kinds that the product uses; any other is a 404. */
export const BUILTIN_KINDS: readonly Kind[] = [
  NAMESPACE_KIND,
  POD_KIND,
  CORE_EVENT_KIND,
  EVENT_KIND,
  builtin('', 'v1', 'secrets', 'Secret'),
  builtin('', 'v1', 'configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  builtin('', 'v1', 'serviceaccounts', 'ServiceAccount', { shortNames: ['sa'] }),
  builtin('', 'v1', 'nodes', 'Node', { namespaced: false, hasStatus: true, shortNames: ['no'] }),
  builtin('coordination.k8s.io', 'v1', 'leases', 'Lease'),
  CRD_KIND,
];
