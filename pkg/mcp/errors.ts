import { NotUtf8 } from '../base/http/body-text.ts';
import { HttpError } from '../base/http/http-error.ts';
import { FAULT_TEXT } from '../base/http/refusal.ts';

/** A JSON-RPC error. Codes: -32700 parse, -32600 request, -32601 method, -32602 params, -32603 internal. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** What the client needs to act on the error. */
  readonly data: object | undefined;
  /** The HTTP status that the stateless versions prescribe for this error. */
  readonly status: number;
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: number,
    message: string,
    { data, status = 200, retryAfterSeconds }: { data?: object; status?: number; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

/** Errors that MCP 2026-07-28 defines (basic, Error Codes). */
export const HEADER_MISMATCH = -32_020;
export const UNSUPPORTED_VERSION = -32_022;

/** Our own errors, outside of the range that JSON-RPC and MCP reserve (MCP 2026-07-28, basic, Error Codes). */
export const FORBIDDEN = 403;
export const RATE_LIMITED = 429;

/** JSON-RPC codes of refusals on the HTTP level; the status says which. As the official SDK has them. */
const REFUSED = -32_000;
const SESSION_GONE = -32_001;
const INTERNAL = -32_603;
const PARSE = -32_700;

/** What a caller reads of an error that is none of JSON-RPC: a refusal says why, a fault only that there is one. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof NotUtf8) return new RpcError(PARSE, error.message);
  if (error instanceof HttpError) return new RpcError(error.status === 404 ? SESSION_GONE : REFUSED, error.message);
  return new RpcError(INTERNAL, FAULT_TEXT);
}

/** A session that was never opened, has ended or is another key's. */
export function sessionGone(): HttpError {
  return new HttpError(404, 'This session is unknown or was closed. Send initialize again.');
}

/** The body of a JSON-RPC error. */
export function rpcErrorBody(id: string | number | null, code: number, message: string, data?: object): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}
