import { createServer, request as forward, type Server } from 'node:http';

/** A proxy before the sandbox that drops the idempotency key of each request: a provider that never saw one. */
export class KeyStripper {
  readonly url: string;
  readonly #server: Server;

  private constructor(url: string, server: Server) {
    this.url = url;
    this.#server = server;
  }

  static open(target: string): Promise<KeyStripper> {
    const server = createServer((incoming, outgoing) => {
      const headers = { ...incoming.headers };
      delete headers['idempotency-key'];
      const onward = forward(`${target}${incoming.url}`, { method: incoming.method ?? 'GET', headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      });
      // A connection that breaks on one side breaks on the other.
      onward.on('error', () => incoming.socket.destroy());
      incoming.on('error', () => onward.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    });
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        const port = address && typeof address === 'object' ? address.port : 0;
        resolve(new KeyStripper(`http://127.0.0.1:${port}`, server));
      });
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
