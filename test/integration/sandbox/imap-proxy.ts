import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What is said instead of the server, without its tag; null: the connection ends; undefined: the server answers. */
export type Instead = (command: string) => string | null | undefined;

/** Stands before an IMAP server and answers some commands in its place. */
export async function startImapProxy(
  target: { host: string; port: number },
  instead: Instead,
): Promise<{ port: number; close: () => Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    upstream.pipe(client);
    client.on('data', (chunk) => {
      const [, tag = '', command = ''] = /^(\S+) (.*)\r\n$/s.exec(chunk.toString('latin1')) ?? [];
      const answer = instead(command);
      if (answer === undefined) upstream.write(chunk);
      else if (answer === null) client.destroy();
      else client.write(`${tag} ${answer}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
