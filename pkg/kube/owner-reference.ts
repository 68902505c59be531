import type { KubeObject, OwnerReference } from './types.ts';

/** The reference that makes `owner` the controller of a child in the same namespace; deletion then cascades. */
export function ownerReference(owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!uid) throw new Error(`${owner.kind} ${name} has no uid yet and cannot own anything`);
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** What an existing object with the child's name is to us (CloudNativePG's classifyLeaseAdoption). */
export type Adoption = 'ours' | 'orphan' | 'foreign';

/** Compares by uid: an owner that was recreated under the same name does not own the children of the first one. */
export function classifyAdoption(object: KubeObject, owner: KubeObject): Adoption {
  const controller = controllerOf(object);
  if (!controller) return 'orphan';
  return controller.uid === owner.metadata.uid ? 'ours' : 'foreign';
}
