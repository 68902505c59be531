/**
 * Three kinds of error (design, section 2), after Flux's Stalling, Waiting and Generic:
 * `UserError` the caller must change something, never retried; `Waiting` expected, come back later;
 * anything else is a fault, retried with back-off and logged under a reference id.
 */

/** The caller must change something. The message is shown as it is, so it names the tool or field to use next. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** Machine-readable cause in CamelCase; becomes a condition's reason. */
  readonly reason: string;

  constructor(message: string, reason = 'InvalidInput') {
    super(message);
    this.reason = reason;
  }
}

/** Not now: expected, to be tried again at `retryAfterMs` from now (real time). */
export class Waiting extends Error {
  override readonly name = 'Waiting';
  readonly retryAfterMs: number;
  readonly reason: string;

  constructor(message: string, retryAfterMs: number, reason = 'Waiting') {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.reason = reason;
  }
}

/** This process lost its claim (epoch) and must stop acting at once. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** A readable message of whatever was thrown; never includes a stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
