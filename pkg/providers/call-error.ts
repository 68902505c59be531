/** What a failure of a call to a system outside proves. */
export type CallFailure =
  /** It said no, for good; nothing was done. */
  | 'refused'
  /** It does not know our credentials (any more); nothing was done. */
  | 'auth'
  /** It knows us, and lets us not do this; nothing was done. Of what else we may do it says nothing. */
  | 'forbidden'
  /** Not now (too many, down); nothing was done. */
  | 'busy'
  /** The request never left. */
  | 'not_sent'
  /** No answer: it may have been done. */
  | 'lost';

/** A failed call. The message never holds a credential, and of the answer only what is safe to show. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly kind: CallFailure;
  /** When the other side wants to be asked again, ms. */
  readonly retryAfterMs: number | undefined;
  /** It is asked more often than it allows, which says nothing of what it was asked. */
  readonly tooMany: boolean;
  /** It said that it is gone and wants no more. */
  readonly gone: boolean;

  constructor(kind: CallFailure, message: string, retryAfterMs?: number, tooMany = false, gone = false) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.tooMany = tooMany;
    this.gone = gone;
  }
}

const FOR_GOOD: readonly CallFailure[] = ['refused', 'auth', 'forbidden'];

/** Whether asking again would say the same. */
export function isForGood(error: unknown): boolean {
  return error instanceof CallError && FOR_GOOD.includes(error.kind);
}
