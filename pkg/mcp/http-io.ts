import type { ServerResponse } from 'node:http';
import type { JsonAnswer } from './json-answer.ts';

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

/** The header of an answer to what may succeed later. */
export function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
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
