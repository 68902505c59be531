import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** How a server begins to speak TLS: at once, or after its protocol's STARTTLS. */
export type Opening = 'implicit' | 'smtp' | 'imap';

/** A server with TLS before one without, on the loopback. */
export interface TlsProxy {
  port: number;
  /** What clients said before TLS. */
  plain: string[];
  close(): Promise<void>;
}

const GREETING = {
  smtp: '220 tls.test ESMTP\r\n',
  imap: '* OK [CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED] ready\r\n',
};

/** @param upstreamPort of the server without TLS */
export async function startTlsProxy(
  opening: Opening,
  upstreamPort: number,
  certificate: { key: string; cert: string },
): Promise<TlsProxy> {
  const plain: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    if (opening === 'implicit') return secure(socket);
    socket.write(GREETING[opening]);
    const talk = (chunk: Buffer): void => {
      const line = chunk.toString('latin1');
      plain.push(line.trim());
      const answer = answerTo(opening, line);
      socket.write(answer.text);
      if (!answer.upgrade) return;
      socket.off('data', talk);
      secure(socket);
    };
    socket.on('data', talk);
  });

  function secure(socket: Socket): void {
    const inner = new TLSSocket(socket, { isServer: true, ...certificate });
    const upstream = connect(upstreamPort, '127.0.0.1');
    sockets.add(upstream);
    const end = (): void => {
      inner.destroy();
      upstream.destroy();
    };
    inner.on('error', end).on('close', end);
    upstream.on('error', end).on('close', end);
    const join = (): void => {
      inner.pipe(upstream);
      upstream.pipe(inner);
    };
    if (opening === 'implicit') join();
    // The client was greeted before TLS, and a server throws out who talks before its greeting.
    else upstream.once('data', join);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    plain,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function answerTo(protocol: 'smtp' | 'imap', line: string): { text: string; upgrade?: boolean } {
  if (protocol === 'smtp') {
    if (/^EHLO/i.test(line)) return { text: '250-tls.test\r\n250 STARTTLS\r\n' };
    return /^STARTTLS/i.test(line) ? { text: '220 go on\r\n', upgrade: true } : { text: '530 TLS first\r\n' };
  }
  const [tag = '*', command = ''] = line.trim().split(' ');
  if (/^STARTTLS$/i.test(command)) return { text: `${tag} OK go on\r\n`, upgrade: true };
  if (/^CAPABILITY$/i.test(command))
    return { text: `* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\r\n${tag} OK done\r\n` };
  return { text: `${tag} NO TLS first\r\n` };
}
