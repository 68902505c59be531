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

/** Versions that are spoken, newest last. */
export const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
export const NEWEST = '2025-11-25';

/** The version that is spoken with a client that asks for `wanted`. */
export function negotiate(wanted: unknown): string {
  return VERSIONS.find((version) => version === wanted) ?? NEWEST;
}
