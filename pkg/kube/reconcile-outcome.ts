import { UserError, Waiting } from '../base/errors.ts';
import { DeadlineExceeded } from './deadline.ts';
import { isConflict, isQuotaExceeded } from './kube-error.ts';

/** How one reconciliation ended and what follows from it. */
export type Outcome =
  | { kind: 'success' }
  | { kind: 'later'; afterMs: number }
  /** Somebody wrote first: again soon, and nobody needs to hear of it. */
  | { kind: 'conflict' }
  /** A person must change something; the change itself brings the key back. */
  | { kind: 'terminal' }
  | { kind: 'failed'; panic: boolean; timeout: boolean };

const QUOTA_WAIT_MS = 60_000;

/** Sorts what a reconcile threw (pkg/base/errors.ts names the kinds). */
export function outcomeOf(error: unknown, signal: AbortSignal): Outcome {
  if (error instanceof UserError) return { kind: 'terminal' };
  if (error instanceof Waiting) return { kind: 'later', afterMs: error.retryAfterMs };
  if (isConflict(error)) return { kind: 'conflict' };
  if (isQuotaExceeded(error)) return { kind: 'later', afterMs: QUOTA_WAIT_MS };
  return { kind: 'failed', panic: isPanic(error), timeout: signal.reason instanceof DeadlineExceeded };
}

/** What would be a nil dereference in Go: a mistake in our own code, not in the world. */
function isPanic(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}
