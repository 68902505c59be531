import { z } from 'zod';
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

const messageSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.number()]).optional(),
  method: z.string().max(200).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** Batches of the session era (2025-03-26) hold this many calls at most. */
export const MAX_BATCH = 100;

/** @throws RpcError -32600 */
export function parseMessage(value: unknown): RpcMessage {
  const parsed = messageSchema.safeParse(value);
  if (!parsed.success) throw new RpcError(-32600, 'Invalid request: not a JSON-RPC 2.0 message.');
  const { id, method, params } = parsed.data;
  if (method === undefined && id === undefined) throw new RpcError(-32600, 'Invalid request: method is missing.');
  return { id: id ?? null, method, params: params ?? {}, notification: id === undefined };
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
