import type { KubeClient } from '../kube/client.ts';
import { ownerReference } from '../kube/owner-reference.ts';
import type { Resource } from '../kube/types.ts';
import type { OutriderObject } from '../tools/resources/kinds.ts';
import { FIELD_MANAGER } from './names.ts';

/** Makes `parent` an owner of `child`, so that deletion cascades; writes nothing when it is. */
export async function ensureOwner(
  client: KubeClient,
  resource: Resource,
  child: OutriderObject,
  parent: OutriderObject,
): Promise<OutriderObject> {
  const references = child.metadata.ownerReferences ?? [];
  if (references.some((reference) => reference.uid === parent.metadata.uid)) return child;
  const others = references.filter((reference) => reference.kind !== parent.kind);
  const { resourceVersion, uid } = child.metadata;
  const patch = { metadata: { ownerReferences: [...others, ownerReference(parent)], resourceVersion, uid } };
  return client.mergePatch<OutriderObject>(resource, child.metadata, patch, { fieldManager: FIELD_MANAGER });
}

/** Key of the Workspace that a Campaign names. */
export function workspaceKey(campaign: OutriderObject): string {
  const spec = campaign.spec as { workspaceRef?: { name?: string } } | undefined;
  return `${campaign.metadata.namespace}/${spec?.workspaceRef?.name ?? ''}`;
}

/** Key of the Campaign that a Workflow names. */
export function campaignKey(workflow: OutriderObject): string {
  const spec = workflow.spec as { campaignRef?: { name?: string } } | undefined;
  return `${workflow.metadata.namespace}/${spec?.campaignRef?.name ?? ''}`;
}
