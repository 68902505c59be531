import type { Socket } from 'node:net';
import type pg from 'pg';

/** The socket of a client that is connected. pg's types leave it out, and pg has no other way to cork or to cut it off. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Ends a connection at once; what waits in it fails. */
export function cutOff(client: pg.ClientBase): void {
  streamOf(client).destroy();
}

/** Statements that are sent in this turn of the loop reach the server in one write; each alone would wake it up. */
export function writeTogether(client: pg.ClientBase): void {
  const stream = streamOf(client);
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
