import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import type { World } from '../world.ts';
import { ImapConnection } from './imap-connection.ts';

/** A small IMAP4rev1 server over the sandbox's mails: what a client needs to read an inbox and file a copy. */
export async function startImap(options: {
  world: World;
  password: string;
  host: string;
}): Promise<{ port: number; close: () => Promise<void> }> {
  const open = new Set<Socket>();
  // Its answers are several small pieces: each would wait for the client to acknowledge the one before.
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    new ImapConnection(options, socket).start();
  });
  server.maxConnections = 200;
  await new Promise<void>((resolve) => server.listen(0, options.host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
