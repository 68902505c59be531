import { HttpError } from './http-error.ts';

/** What a request that failed is answered with. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  /** Sent as JSON. */
  body: object;
}

/** What a caller is told of a fault: that there is one. The log has the rest. */
export const FAULT_TEXT = 'The server can not answer now. Try again.';
export const FAULT_HEADERS = { 'retry-after': '2' };

/** An HttpError says why; anything else is a fault of ours (503). */
export function plainRefusal(error: unknown): Refusal {
  if (error instanceof HttpError)
    return { status: error.status, headers: error.headers, body: { error: error.message } };
  return { status: 503, headers: FAULT_HEADERS, body: { error: FAULT_TEXT } };
}
