import { findCondition, isConditionTrue } from '../kube/conditions.ts';
import type { Predicate } from '../kube/predicates.ts';
import type { Condition } from '../kube/types.ts';
import type { OutriderObject } from '../tools/resources/kinds.ts';

/** The conditions of an object as it was seen. */
export function conditionsIn(object: OutriderObject): Condition[] {
  return ((object.status ?? {}) as { conditions?: Condition[] }).conditions ?? [];
}

/** Whether the generation that was seen is in force. */
export function isReady(object: OutriderObject): boolean {
  const ready = findCondition(conditionsIn(object), 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation;
}

/** Whether a person must act on it. */
export function isStalled(object: OutriderObject): boolean {
  return isConditionTrue(conditionsIn(object), 'Stalled');
}

/** Something came into force: what refers to it, or counts it, looks again. */
export const becameReady: Predicate<OutriderObject> = (before, after) => !isReady(before) && isReady(after);
