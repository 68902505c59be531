import { GROUP } from '../api/kind.ts';
import type { KubeClient } from '../kube/client.ts';
import type { OwnerReference, Resource } from '../kube/types.ts';
import { FIELD_MANAGER } from './names.ts';
import type { Conditioned } from './object-conditions.ts';

/**
 * Takes references to a Workspace or Campaign from the owners of what people apply; writes nothing when there is none. Versions
 * before this one set them, so that deletion cascaded; the finalizers do that. In a backup file they name uids that are gone,
 * for which the garbage collector deletes what was restored, and Argo CD prunes nothing that has an owner.
 */
export async function dropOwners(client: KubeClient, resource: Resource, child: Conditioned): Promise<Conditioned> {
  const references = child.metadata.ownerReferences ?? [];
  const others = references.filter((reference) => !isOurs(reference));
  if (others.length === references.length) return child;
  const { resourceVersion, uid } = child.metadata;
  const patch = { metadata: { ownerReferences: others, resourceVersion, uid } };
  return client.mergePatch<Conditioned>(resource, child.metadata, patch, { fieldManager: FIELD_MANAGER });
}

/** Whether an owner is one of our three kinds. */
export function isOurs({ apiVersion }: OwnerReference): boolean {
  return groupOf(apiVersion) === GROUP;
}

function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, apiVersion.indexOf('/'));
}

/** The name that a reference of the spec gives; empty without one. */
export function parentName({ spec }: { spec: unknown }, field: 'workspaceRef' | 'campaignRef'): string {
  return (spec as Partial<Record<typeof field, { name?: string }>>)[field]?.name ?? '';
}
