import { RpcError } from './errors.ts';

/** One JSON-RPC message; responses of the client are accepted and ignored. */
export interface RpcMessage {
  id: string | number | null;
  /** Absent for a response. */
  method: string | undefined;
  params: Record<string, unknown>;
  /** No answer is sent to a notification. */
  notification: boolean;
}

/** Characters of an id or a method at most. */
const MAX_NAME = 200;

/** Batches of the session era (2025-03-26) hold this many calls at most. */
export const MAX_BATCH = 100;

/** @throws RpcError -32600 */
export function parseMessage(value: unknown): RpcMessage {
  // By hand: a schema costs more here than the rest of a small request's parsing.
  if (!isObject(value)) throw invalid();
  const { jsonrpc, id, method, params = {} } = value;
  if (typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER) throw inexact('id');
  const idFits = id === undefined || (typeof id === 'string' ? id.length <= MAX_NAME : Number.isFinite(id));
  const methodFits = method === undefined || (typeof method === 'string' && method.length <= MAX_NAME);
  if (jsonrpc !== '2.0' || !idFits || !methodFits || !isObject(params)) throw invalid();
  if (method === undefined && !isResponse(value)) throw new RpcError(-32600, 'Invalid request: method is missing.');
  const token = metaOf(params)['progressToken'];
  if (typeof token === 'number' && Math.abs(token) > Number.MAX_SAFE_INTEGER)
    throw inexact('params._meta.progressToken');
  const known = { id: id as string | number | undefined, method: method as string | undefined };
  return { id: known.id ?? null, method: known.method, params, notification: id === undefined };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** What a client answers to a request of ours; anything else has a method. Source: JSON-RPC 2.0, 5. */
function isResponse(value: Record<string, unknown>): boolean {
  return value['id'] !== undefined && ('result' in value || 'error' in value);
}

/** JSON numbers beyond 2^53 are read as another one, so the answer would go out under an id or token that nobody waits for. */
function inexact(what: string): RpcError {
  return new RpcError(-32600, `Invalid request: ${what} is beyond 2^53, where numbers are not exact. Send it as text.`);
}

function invalid(): RpcError {
  return new RpcError(-32600, 'Invalid request: not a JSON-RPC 2.0 message.');
}

/** Versions that begin with `initialize` and a session, newest last. */
export const SESSION_VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
/** The version without sessions: every request says version and capabilities itself. */
export const STATELESS_VERSION = '2026-07-28';
/** What an `initialize` is answered with whose version is not spoken. */
const NEWEST_SESSION = '2025-11-25';

/** The version that is spoken with a client that asks for `wanted`. */
export function negotiate(wanted: unknown): string {
  return SESSION_VERSIONS.find((version) => version === wanted) ?? NEWEST_SESSION;
}

/** Whether a version knows events without data, which tell an id. Source: MCP 2025-11-25, Streamable HTTP. */
export function knowsPriming(version: string): boolean {
  return version >= '2025-11-25';
}

/** The object under `_meta` of a message's parameters. */
export function metaOf(params: Record<string, unknown>): Record<string, unknown> {
  const meta = params['_meta'];
  return meta !== null && typeof meta === 'object' ? (meta as Record<string, unknown>) : {};
}

/** The token under which the client wants progress. */
export function progressTokenOf(params: Record<string, unknown>): string | number | undefined {
  const token = metaOf(params)['progressToken'];
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
