import type { IncomingMessage } from 'node:http';
import { HttpError } from '../base/http/http-error.ts';
import { RpcError } from './errors.ts';
import { MAX_BATCH, parseMessage, type RpcMessage, SESSION_VERSIONS } from './rpc.ts';

/** Accept and Content-Type of a POST. @throws HttpError 406, 415 */
export function checkContentHeaders(request: IncomingMessage): void {
  if (!accepts(request, 'application/json') || !accepts(request, 'text/event-stream')) {
    throw new HttpError(406, 'Accept must list both application/json and text/event-stream.');
  }
  const given = request.headers['content-type'] ?? '';
  if (given === 'application/json') return;
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') throw new HttpError(415, 'Content-Type must be application/json.');
  const charset = parameters.find((one) => one.startsWith('charset='));
  if (charset === undefined || /^charset="?utf-?8"?$/.test(charset)) return;
  throw new HttpError(415, 'Content-Type must be application/json in UTF-8: JSON has no other charset.');
}

/** The media type of a body that has one form alone. @param absent the type of one that names none @throws HttpError 415 */
export function requireType({ headers }: IncomingMessage, type: string, absent = ''): void {
  const [given = ''] = (headers['content-type'] ?? absent).split(';');
  if (given.trim().toLowerCase() !== type) throw new HttpError(415, `Content-Type must be ${type}.`);
}

/** Whether a client takes answers of a media type; its letters may have any case. Source: RFC 9110, 8.3.1. */
export function accepts(
  { headers: { accept = '' } }: IncomingMessage,
  type: 'application/json' | 'text/event-stream',
): boolean {
  if (accept.includes(type) || accept.includes('*/*')) return true;
  return accept.toLowerCase().includes(type);
}

/** @throws HttpError 400 for a protocol version that is not spoken */
export function checkVersionHeader(request: IncomingMessage): void {
  const version = request.headers['mcp-protocol-version'];
  if (version === undefined || SESSION_VERSIONS.some((known) => known === version)) return;
  const shown = String(version).slice(0, 40);
  throw new HttpError(400, `MCP-Protocol-Version ${shown} is not spoken here. Known: ${SESSION_VERSIONS.join(', ')}.`);
}

/** Values in a body at most; the longest lists and graphs that tools take have a hundredth of it. */
const MAX_VALUES = 50_000;

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

/** The value of a body. @throws RpcError -32700, -32600 */
export function parseJson(text: string): unknown {
  // Two characters make an empty object, which takes twenty times as much memory, and takes seconds to be looked through.
  if (text.length > MAX_VALUES && holdsMoreValues(text, MAX_VALUES)) {
    throw new RpcError(-32600, `Invalid request: the body holds more than ${MAX_VALUES} values. Send it in parts.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(-32700, 'Parse error: the body is no JSON.');
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/**
 * Whether a JSON text holds more values side by side than this; a text is one, whatever stands in it. How deep they are nested is
 * judged where they are looked through.
 */
function holdsMoreValues(json: string, most: number): boolean {
  let values = 1;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (code === COMMA && ++values > most) return true;
  }
  return false;
}
