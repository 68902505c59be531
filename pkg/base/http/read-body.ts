import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/**
 * Reads a body of at most so many bytes.
 * @param advice what a caller is told who sent more
 * @throws HttpError 413, 400 when its client is gone
 */
export async function readBody(request: IncomingMessage, maxBytes: number, advice = ''): Promise<string> {
  const tooLarge = (): HttpError =>
    new HttpError(413, `The body is larger than ${maxBytes} bytes.${advice && ` ${advice}`}`, { connection: 'close' });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  // A client that left while its key was looked at: of its request nothing is told any more.
  if (request.destroyed) throw endedEarly();
  // Events instead of an iterator, which costs as much as the rest of a small request.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.on('end', () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()));
    request.on('error', reject);
    // Also of a whole body, when the connection ended before it was read.
    request.on('close', () => {
      if (!request.readableEnded) reject(endedEarly());
    });
  });
}

function endedEarly(): HttpError {
  return new HttpError(400, 'The body ended early.');
}
