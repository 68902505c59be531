import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../base/http/read-body.ts';
import type { JsonAnswer } from './json-answer.ts';

/** svc_import_leads_csv takes 5 MB of text, which JSON may escape. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** What a body will take: as its header says; without one as much as is taken at most. One that is too large is not read. */
export function announcedBytes(request: IncomingMessage): number {
  const length = Number(request.headers['content-length'] ?? MAX_BODY_BYTES);
  return length > MAX_BODY_BYTES ? 0 : length;
}

/** Reads the body of a call. @throws HttpError 413, 400 when its client is gone */
export function readCall(request: IncomingMessage): Promise<string> {
  return readBody(request, MAX_BODY_BYTES, 'Send less, for example a CSV in parts.');
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
