import type { KubeClient } from '../kube/client.ts';
import { ownerReference } from '../kube/owner-reference.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import { FIELD_MANAGER } from './names.ts';
import type { Conditioned } from './object-conditions.ts';

/**
 * Makes `parent` an owner of `child`, so that deletion cascades; writes nothing when it is. Who made the child may be its
 * controller already: there can be one only, and deletion cascades without that too.
 */
export async function ensureOwner(
  client: KubeClient,
  resource: Resource,
  child: Conditioned,
  parent: KubeObject,
): Promise<Conditioned> {
  const references = child.metadata.ownerReferences ?? [];
  if (references.some((reference) => reference.uid === parent.metadata.uid)) return child;
  const others = references.filter(
    ({ kind, apiVersion }) => kind !== parent.kind || groupOf(apiVersion) !== groupOf(parent.apiVersion),
  );
  const own = { ...ownerReference(parent), controller: !others.some(({ controller }) => controller === true) };
  const { resourceVersion, uid } = child.metadata;
  const patch = { metadata: { ownerReferences: [...others, own], resourceVersion, uid } };
  return client.mergePatch<Conditioned>(resource, child.metadata, patch, { fieldManager: FIELD_MANAGER });
}

function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, apiVersion.indexOf('/'));
}

/** The name that a reference of the spec gives; empty without one. */
export function parentName({ spec }: { spec: unknown }, field: 'workspaceRef' | 'campaignRef'): string {
  return (spec as Partial<Record<typeof field, { name?: string }>>)[field]?.name ?? '';
}
