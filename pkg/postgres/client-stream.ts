import type { Socket } from 'node:net';
import type pg from 'pg';

/** The socket of a client that is connected, which pg's types leave out. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Ends a connection at once; what waits in it fails. */
export function cutOff(client: pg.ClientBase): void {
  streamOf(client).destroy();
}
