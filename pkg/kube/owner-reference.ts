import type { KubeObject, OwnerReference } from './types.ts';

/** The reference that makes `owner` the controller of a child in the same namespace; deletion then cascades. */
export function ownerReference(owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!uid) throw new Error(`${owner.kind} ${name} has no uid yet and cannot own anything`);
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
