import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Database } from '../postgres/database.ts';
import { wakeAccount } from '../store/wake.ts';

/** Takes what comes from outside: provider webhooks. A webhook is only a hint that queues a fetch, whatever it says. */
export class Ingress {
  readonly #server: Server;

  constructor(db: Database, product: Clock, log: Logger) {
    this.#server = createServer((request, response) => {
      request.resume();
      const secret = /^\/hooks\/([A-Za-z0-9_-]{16,128})$/.exec(request.url ?? '')?.[1];
      if (request.method !== 'POST' || secret === undefined) {
        response.writeHead(404).end();
        return;
      }
      hint(db, product, secret).then(
        (known) => response.writeHead(known ? 202 : 404).end(),
        (error: unknown) => {
          log.warn({ err: error }, 'webhook hint could not be queued');
          response.writeHead(503, { 'retry-after': '5' }).end();
        },
      );
    });
    this.#server.requestTimeout = 10_000;
  }

  /** @returns its base URL */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    const address = this.#server.address();
    return `http://${host}:${address && typeof address === 'object' ? address.port : port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Only an account that a workspace uses is looked at. */
async function hint(db: Database, product: Clock, secret: string): Promise<boolean> {
  const hash = createHash('sha256').update(secret).digest();
  return db.tx({ kind: 'platform' }, async (tx) => {
    const account = await tx.row<{ id: string }>(
      'select a.id from network_account a where a.webhook_secret_hash = $1 and exists (select 1 from account_link l where l.account_id = a.id)',
      [hash],
    );
    if (!account) return false;
    await wakeAccount(tx, account.id, product.now());
    return true;
  });
}
