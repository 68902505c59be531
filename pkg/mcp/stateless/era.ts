import type { IncomingHttpHeaders } from 'node:http';
import { metaOf, type RpcMessage, SESSION_VERSIONS } from '../rpc.ts';

/** Keys of a request's `_meta`. Source: MCP 2026-07-28, basic. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  subscription: 'io.modelcontextprotocol/subscriptionId',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;

/**
 * Whether a POST is of the versions without sessions: its `_meta` says a version, or its header says one that has no
 * sessions. A header that names no version of ours counts only where no session is named, so that a session hears of
 * its own mistake.
 */
export function isStateless(headers: IncomingHttpHeaders, message: RpcMessage | undefined): boolean {
  if (message && META.version in metaOf(message.params)) return true;
  const version = headers['mcp-protocol-version'];
  if (version === undefined || message?.method === 'initialize') return false;
  if (SESSION_VERSIONS.some((known) => known === version)) return false;
  return String(version) >= '2026' || headers['mcp-session-id'] === undefined;
}
