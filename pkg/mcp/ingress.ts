import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Database } from '../postgres/database.ts';
import { wakeAccount } from '../store/runs/wake.ts';
import { answerInvitation, type IngressAnswer, type InvitationServices } from './invitation-page.ts';
import { answerUnsubscribe } from './unsubscribe-page.ts';

const BUSY: IngressAnswer = { status: 503, body: { error: 'Try again in a few seconds.' } };
/** Pages run nothing and load nothing; their one form goes where it came from. */
const CSP = "default-src 'none'; form-action 'self'; frame-ancestors 'none'";
/** Connections that are open at once at most: answers take milliseconds; what comes beyond them is closed. */
const MAX_CONNECTIONS = 2_000;
const NOTHING: IngressAnswer = { status: 404, body: { error: 'There is nothing here.' } };

/**
 * Takes what comes from outside: provider webhooks (a hint that queues a fetch, whatever it says), invitations, and the
 * wish to get no more mail.
 */
export class Ingress {
  readonly #server: Server;

  /** @param maxConnections what is opened beyond it is closed at once */
  constructor(services: InvitationServices & { log: Logger }, maxConnections = MAX_CONNECTIONS) {
    this.#server = createServer((request, response) => {
      answer(services, request)
        .catch((error: unknown) => {
          services.log.warn({ err: error }, 'the ingress could not answer');
          return BUSY;
        })
        .then(({ status, body, page }) => {
          request.resume();
          const type = page === undefined ? 'application/json' : 'text/html; charset=utf-8';
          const headers = { 'content-type': type, 'cache-control': 'no-store', 'content-security-policy': CSP };
          response.writeHead(status, status === 503 ? { ...headers, 'retry-after': '5' } : headers);
          response.end(page ?? JSON.stringify(body));
        })
        .catch((error: unknown) => services.log.warn({ err: error }, 'an answer of the ingress was lost'));
    });
    this.#server.requestTimeout = 10_000;
    this.#server.maxConnections = maxConnections;
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

async function answer(services: InvitationServices, request: IncomingMessage): Promise<IngressAnswer> {
  const [, kind, secret] = /^\/(hooks|invitations|u)\/([A-Za-z0-9_-]{16,128})$/.exec(request.url ?? '') ?? [];
  if (secret === undefined) return NOTHING;
  if (kind === 'invitations') return answerInvitation(services, request, secret);
  if (kind === 'u') return answerUnsubscribe(services, request, secret);
  if (request.method !== 'POST') return NOTHING;
  request.resume();
  return (await hint(services.db, services.product, secret)) ? { status: 202, body: {} } : NOTHING;
}

/** Only an account that a workspace uses is looked at. */
async function hint(db: Database, product: Clock, secret: string): Promise<boolean> {
  const hash = createHash('sha256').update(secret).digest();
  return db.tx({ kind: 'platform' }, async (tx) => {
    const account = await tx.row<{ id: string }>(
      `select a.id
       from network_account a
       where a.webhook_secret_hash = $1
         and exists (select 1 from account_link l where l.account_id = a.id)`,
      [hash],
    );
    if (!account) return false;
    await wakeAccount(tx, account.id, product.now());
    return true;
  });
}
