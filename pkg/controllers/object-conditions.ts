import { findCondition, isConditionTrue } from '../kube/conditions.ts';
import type { Predicate } from '../kube/predicates.ts';
import type { Condition, KubeObject } from '../kube/types.ts';

/** An object that may have conditions, as the cache has it or whole. */
export type Conditioned = KubeObject & { status?: unknown };

/** The conditions of an object as it was seen. */
export function conditionsIn(object: Conditioned): Condition[] {
  return ((object.status ?? {}) as { conditions?: Condition[] }).conditions ?? [];
}

/** Whether the generation that was seen is in force. */
export function isReady(object: Conditioned): boolean {
  const ready = findCondition(conditionsIn(object), 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation;
}

/** Whether a person must act on it. */
export function isStalled(object: Conditioned): boolean {
  return isConditionTrue(conditionsIn(object), 'Stalled');
}

/** Something came into force: what refers to it, or counts it, looks again. */
export const becameReady: Predicate<Conditioned> = (before, after) => !isReady(before) && isReady(after);

/** Whether the rows of its name are another's. */
export function isNameTaken(object: Conditioned): boolean {
  return findCondition(conditionsIn(object), 'Stalled')?.reason === 'NameTaken';
}

/** What it means for what is below changed: it came into force, may not have the rows of its name, or is held or no longer. */
export const becameParent: Predicate<Conditioned> = (before, after) =>
  becameReady(before, after) || (!isNameTaken(before) && isNameTaken(after)) || holdOf(before) !== holdOf(after);

/** What its status says of a hold. */
function holdOf({ status }: Conditioned): string | undefined {
  return (status as { hold?: string } | undefined)?.hold;
}
