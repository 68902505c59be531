import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from './errors.ts';
import type { JsonAnswer } from './json-answer.ts';

/** svc_import_leads_csv takes 5 MB of text, which JSON may escape. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** What a body will take: as its header says; without one as much as is taken at most. One that is too large is not read. */
export function announcedBytes(request: IncomingMessage): number {
  const length = Number(request.headers['content-length'] ?? MAX_BODY_BYTES);
  return length > MAX_BODY_BYTES ? 0 : length;
}

/** Reads a bounded body. @throws HttpError 413, 400 when its client is gone */
export async function readBody(request: IncomingMessage): Promise<string> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > MAX_BODY_BYTES) throw tooLarge();
  // A client that left while its key was looked at: of its request nothing is told any more.
  if (request.destroyed) throw endedEarly();
  // Events instead of an iterator, which costs as much as the rest of a small request.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.on('end', () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()));
    request.on('error', reject);
    // Also of a whole body, when the connection ended before it was read; behind its end this says nothing.
    request.on('close', () => reject(endedEarly()));
  });
}

function endedEarly(): HttpError {
  return new HttpError(400, 'The body ended early.');
}

function tooLarge(): HttpError {
  return new HttpError(413, `The body is larger than ${MAX_BODY_BYTES} bytes. Send less, for example a CSV in parts.`, {
    connection: 'close',
  });
}

/** Answers JSON text. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string | JsonAnswer,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const { parts, length } = typeof body === 'string' ? { parts: [body], length: Buffer.byteLength(body) } : body.parts;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers });
  const last = parts.pop();
  // Node puts a text behind its headers into one write, and gathers what is written in one turn into one packet.
  for (const part of parts) response.write(part);
  response.end(last);
}

/** Opens an event stream. */
export function openStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
    ...headers,
  });
  response.flushHeaders();
}

/** Bytes that wait for a client which does not read; then its stream is cut. The longest answer fits several times. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

/** One event of a stream. @param id after which the stream can be resumed */
export function sendEvent(response: ServerResponse, data: string, id?: string): void {
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > MAX_UNREAD_BYTES) {
    response.destroy();
    return;
  }
  // An event without data only tells its id: a type would make clients parse it.
  const type = data === '' ? '' : 'event: message\n';
  response.write(`${id === undefined ? '' : `id: ${id}\n`}${type}data: ${data}\n\n`);
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Guards against DNS rebinding: Host and Origin must be loopback or allowed. @throws HttpError 403 */
export function checkHost(
  request: IncomingMessage,
  allowedHosts: readonly string[],
  allowedOrigins: readonly string[],
): void {
  const host = request.headers.host ?? '';
  if (!LOOPBACK.test(host) && !allowedHosts.includes(host) && !allowedHosts.includes('*')) {
    throw new HttpError(403, `Host ${host.slice(0, 100)} is not allowed. Add it to ALLOWED_HOSTS.`);
  }
  const { origin } = request.headers;
  if (origin === undefined || allowedOrigins.includes(origin)) return;
  if (LOOPBACK.test(origin.replace(/^https?:\/\//, ''))) return;
  throw new HttpError(403, 'This Origin is not allowed. Add it to ALLOWED_ORIGINS.');
}
