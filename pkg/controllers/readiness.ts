import { type ConditionReason, type ConditionType, passedReason } from '../api/condition-words.ts';
import { messageOf, UserError, Waiting } from '../base/errors.ts';
import { type NewCondition, removeCondition, setConditions } from '../kube/conditions.ts';
import type { Condition } from '../kube/types.ts';
import { type Conditioned, isNameTaken, isStalled } from './object-conditions.ts';

/** What a reconcile concluded about an object: in force, or why not. */
export type Readiness =
  | { ready: true; reason: ConditionReason; message: string }
  | { ready: false; reason: ConditionReason; message: string };

/** A condition in the words of docs/conditions.md. */
export type OwnCondition = NewCondition & { type: ConditionType; reason: ConditionReason };

/** A hold that a tool placed, on an object or on what is above it. */
export interface HoldFact {
  reason: string;
  heldBy: string;
  /** What is above the object and held, as people name it (`workspace acme`); absent: the object itself is. */
  above?: string;
}

/**
 * The verdict of an error that a person must solve; anything else is no verdict and is thrown again, so that the
 * queue retries it and a passing outage never shows as a condition.
 */
export function readinessOf(error: unknown): Readiness {
  if (!(error instanceof UserError)) throw error;
  return { ready: false, reason: passedReason(error.reason), message: messageOf(error) };
}

/** A wait that a condition or the log gives as its reason. @param retryAfterMs real ms */
export function waitingFor(reason: ConditionReason, message: string, retryAfterMs: number): Waiting {
  return new Waiting(message, retryAfterMs, reason);
}

/** A parent that was applied together with its child takes a moment (real ms). */
const PARENT_MS = 500;

/** As `verdictOf`, for an object with a parent: while the parent's own reconcile is under way it is only waited for. */
export function readinessUnder(error: unknown, parent: Conditioned | undefined): Readiness {
  const readiness = readinessOf(error);
  if (readiness.reason !== 'RefNotFound' || !parent || parent.metadata.deletionTimestamp) return readiness;
  if (isNameTaken(parent)) return underAnother(parent);
  if (isStalled(parent)) return readiness;
  throw waitingFor('ParentPending', readiness.message, PARENT_MS);
}

/** What is below an object that may not have the rows of its name may not have theirs. */
function underAnother({ kind, metadata }: Conditioned): Readiness {
  const message = `The history of the ${kind} name "${metadata.name}" is another's: see its condition Stalled.`;
  return { ready: false, reason: 'NameTaken', message };
}

/** Characters that the definition takes. */
const MAX_HOLD = 400;

/** Conditions that are absent while all is well. */
const ABNORMAL: readonly ConditionType[] = ['Reconciling', 'Stalled', 'Paused', 'Suspended', 'SendsFrozen', 'Pooled'];

/**
 * A verdict of `ready` holds for an object that its row shows. Rows that were marked deleted (with what was above them, by a
 * tool) stay as they are, whatever the object says.
 */
export function shownBy(row: object | undefined, readiness: Readiness): Readiness {
  if (row || !readiness.ready) return readiness;
  const message = 'Its rows were marked deleted. If it is still wanted, delete it and apply it again.';
  return { ready: false, reason: 'RowsDeleted', message };
}

/**
 * The conditions of an object (kstatus): Ready is the summary, Stalled says that a person must act, Paused that a
 * tool holds it. `others` are the kind's own.
 * @param now real time, epoch ms
 */
export function conditionsOf(
  previous: readonly Condition[],
  facts: { generation: number; readiness: Readiness; hold: HoldFact | null; others: OwnCondition[]; now: number },
): Condition[] {
  const { readiness, hold, generation, now } = facts;
  const { reason, message } = readiness;
  const current: OwnCondition[] = [
    { type: 'Ready', status: readiness.ready ? 'True' : 'False', reason, message },
    ...(readiness.ready ? [] : [{ type: 'Stalled' as const, status: 'True' as const, reason, message }]),
    ...(hold && hold.above === undefined ? [paused(hold)] : []),
    ...facts.others,
  ];
  const next = current.map((condition) => ({ ...condition, observedGeneration: generation }));
  const present = new Set(next.map((condition) => condition.type));
  const gone = ABNORMAL.filter((type) => !present.has(type));
  const kept = gone.reduce<Condition[]>((list, type) => removeCondition(list, type), [...previous]);
  return setConditions(kept, next, now);
}

/** The hold as the status says it in one line, for `kubectl get`: its own, else that of what is above. */
export function holdText(hold: HoldFact | null): { hold?: string } {
  if (!hold) return {};
  const above = hold.above === undefined ? '' : ` (${hold.above})`;
  return { hold: `Held by ${hold.heldBy}${above}`.slice(0, MAX_HOLD) };
}

function paused(hold: HoldFact): OwnCondition {
  return {
    type: 'Paused',
    status: 'True',
    reason: 'StoppedByTool',
    message: `Stopped by ${hold.heldBy}: ${hold.reason}`,
  };
}
