import type { KubeClient } from '../kube/client.ts';
import { ownerReference } from '../kube/owner-reference.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import { FIELD_MANAGER } from './names.ts';
import type { Conditioned } from './readiness.ts';

/** Makes `parent` an owner of `child`, so that deletion cascades; writes nothing when it is. */
export async function ensureOwner(
  client: KubeClient,
  resource: Resource,
  child: Conditioned,
  parent: KubeObject,
): Promise<Conditioned> {
  const references = child.metadata.ownerReferences ?? [];
  if (references.some((reference) => reference.uid === parent.metadata.uid)) return child;
  const others = references.filter((reference) => reference.kind !== parent.kind);
  const { resourceVersion, uid } = child.metadata;
  const patch = { metadata: { ownerReferences: [...others, ownerReference(parent)], resourceVersion, uid } };
  return client.mergePatch<Conditioned>(resource, child.metadata, patch, { fieldManager: FIELD_MANAGER });
}

/** The name that a reference of the spec gives; empty without one. */
export function parentName({ spec }: { spec: unknown }, field: 'workspaceRef' | 'campaignRef'): string {
  return (spec as Partial<Record<typeof field, { name?: string }>>)[field]?.name ?? '';
}
