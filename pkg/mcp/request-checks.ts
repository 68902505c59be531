import type { IncomingMessage } from 'node:http';
import { HttpError, RpcError } from './errors.ts';
import { MAX_BATCH, parseMessage, type RpcMessage, VERSIONS } from './rpc.ts';
import type { Narrowing } from './tool-list.ts';

/** Accept and Content-Type of a POST. @throws HttpError 406, 415 */
export function checkContentHeaders(request: IncomingMessage): void {
  const accept = request.headers.accept ?? '';
  const takes = (type: string): boolean => accept.includes(type) || accept.includes('*/*');
  if (!takes('application/json') || !takes('text/event-stream')) {
    throw new HttpError(406, 'Accept must list both application/json and text/event-stream.');
  }
  if (!(request.headers['content-type'] ?? '').startsWith('application/json')) {
    throw new HttpError(415, 'Content-Type must be application/json.');
  }
}

/** @throws HttpError 400 for a protocol version that is not spoken */
export function checkVersionHeader(request: IncomingMessage): void {
  const version = request.headers['mcp-protocol-version'];
  if (version === undefined || VERSIONS.some((known) => known === version)) return;
  const shown = String(version).slice(0, 40);
  throw new HttpError(400, `MCP-Protocol-Version ${shown} is not spoken here. Known: ${VERSIONS.join(', ')}.`);
}

/** The messages of a body. @throws RpcError -32700, -32600 */
export function parseBody(text: string): { messages: RpcMessage[]; batch: boolean } {
  const body = parseJson(text);
  if (!Array.isArray(body)) return { messages: [parseMessage(body)], batch: false };
  if (body.length === 0) throw new RpcError(-32600, 'Invalid request: an empty batch.');
  if (body.length > MAX_BATCH) {
    throw new RpcError(-32600, `A batch holds ${MAX_BATCH} messages at most; this one has ${body.length}.`);
  }
  return { messages: body.map(parseMessage), batch: true };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(-32700, 'Parse error: the body is no JSON.');
  }
}

/** Whether a call wants progress, which only a stream can carry. */
export function wantsProgress(message: RpcMessage): boolean {
  if (message.method !== 'tools/call') return false;
  const meta = message.params['_meta'];
  return meta !== null && typeof meta === 'object' && 'progressToken' in meta;
}

/** What the client narrows tools/list to, by header or query (`?toolsets=campaigns,leads&readonly=true`). */
export function narrowingOf(request: IncomingMessage): Narrowing {
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  const header = request.headers['x-mcp-toolsets'];
  const toolsets = (typeof header === 'string' ? header : (query.get('toolsets') ?? ''))
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .slice(0, 30);
  const readOnly = (request.headers['x-mcp-readonly'] ?? query.get('readonly')) === 'true';
  return { toolsets: toolsets.length > 0 ? toolsets : null, readOnly };
}
