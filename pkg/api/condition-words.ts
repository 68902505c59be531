import { UserError } from '../base/errors.ts';

/** Types of the conditions that the operator sets (docs/conditions.md explains each; a test compares). */
export const CONDITION_TYPES = [
  'Ready',
  'Reconciling',
  'Stalled',
  'Paused',
  'Suspended',
  'SendsFrozen',
  'Synced',
  'ExecutorAvailable',
  'Pooled',
  'GraphValid',
  'Active',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

/** Reasons of the operator's own. */
export const CONDITION_REASONS = [
  'Succeeded',
  'Projected',
  'RefNotFound',
  'InvalidSpec',
  'InvalidHours',
  'InvalidGraph',
  'NodeIdentityLost',
  'NameTaken',
  'RowsDeleted',
  'DeletionBlocked',
  'StoppedByTool',
  'SuspendedBySpec',
  'RestoreUnreconciled',
  'FrozenByAdmin',
  'AccountFrozen',
  'Asleep',
  'Starting',
  'Running',
  'Draining',
  'StartRateLimited',
  'NoPlace',
  'QuotaExceeded',
  'PodRefused',
  'PodLost',
  'ClaimLost',
  'NotClaiming',
  'Seated',
  'PlacementRules',
  'NoPool',
  'ParentPending',
  'StateBySpec',
  'ActivatedByWorkflow',
] as const;
export type OwnReason = (typeof CONDITION_REASONS)[number];

/** Reasons of the scheduler and the kubelet that are known; others of theirs are passed on as they are. */
export const POD_REASONS = [
  'Unschedulable',
  'ImagePullBackOff',
  'ErrImagePull',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
] as const;

declare const passed: unique symbol;
/** A reason that somebody else gave: the scheduler, the kubelet, or an earlier look of our own that was kept as text. */
export type PassedReason = string & { readonly [passed]: true };
export type ConditionReason = OwnReason | (typeof POD_REASONS)[number] | PassedReason;

/** Passes a reason on as it is. The only way for a text that is no word of the list into a condition. */
export function passedReason(reason: string): ConditionReason {
  return reason as PassedReason;
}

/** What a person must change about an object; becomes the reason and message of its condition. */
export function refused(reason: OwnReason, message: string): UserError {
  return new UserError(message, reason);
}

/** Reasons of the operator's Kubernetes Events, with their type: Warning is for what somebody should look at. */
export const EVENT_REASONS = {
  ExecutorStarted: 'Normal',
  ExecutorDrained: 'Normal',
  ExecutorEnded: 'Normal',
  ExecutorRestarted: 'Warning',
  ExecutorReplaced: 'Warning',
  DeletionHeld: 'Warning',
  ExecutorRoleRestored: 'Warning',
  ExecutorRoleChanged: 'Warning',
  InvalidSpec: 'Warning',
  InvalidHours: 'Warning',
  InvalidGraph: 'Warning',
  NodeIdentityLost: 'Warning',
  RefNotFound: 'Warning',
  NameTaken: 'Warning',
  RowsDeleted: 'Warning',
  Held: 'Normal',
  Released: 'Normal',
  Activated: 'Normal',
  RunsStopped: 'Warning',
} as const;
export type EventReason = keyof typeof EVENT_REASONS;
