import { formatTime } from './time.ts';
import type { Condition } from './types.ts';

/** A condition as a reconcile computes it; times are added by `setCondition`. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

const MESSAGE_LIMIT = 1_024;
/** kstatus' summary conditions come first, as in Flux; the rest by name. */
const FIRST = ['Ready', 'Reconciling', 'Stalled'];

/**
 * The list with this condition set. `lastTransitionTime` moves only with `status`, otherwise every reconcile would
 * write, be told of its own write and write again.
 * @param now epoch ms UTC
 */
export function setCondition(conditions: readonly Condition[], next: NewCondition, now: number): Condition[] {
  const previous = findCondition(conditions, next.type);
  const lastTransitionTime = previous?.status === next.status ? previous.lastTransitionTime : formatTime(now);
  const condition: Condition = { ...next, message: trim(next.message), lastTransitionTime };
  return sorted([...conditions.filter((other) => other.type !== next.type), condition]);
}

/** Sets several at once. */
export function setConditions(
  conditions: readonly Condition[],
  next: readonly NewCondition[],
  now: number,
): Condition[] {
  return next.reduce<Condition[]>((list, condition) => setCondition(list, condition, now), [...conditions]);
}

/** For abnormal-true conditions (Reconciling, Stalled), which are absent while all is well. */
export function removeCondition(conditions: readonly Condition[], type: string): Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

function sorted(conditions: readonly Condition[]): Condition[] {
  return [...conditions].sort((a, b) => rank(a) - rank(b) || (a.type < b.type ? -1 : 1));
}

function rank(condition: Condition): number {
  const index = FIRST.indexOf(condition.type);
  return index < 0 ? FIRST.length : index;
}

function trim(message: string): string {
  return message.length <= MESSAGE_LIMIT ? message : `${message.slice(0, MESSAGE_LIMIT - 1)}…`;
}
