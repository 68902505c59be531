import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Clock, SystemClock } from '../base/clock.ts';
import { answerOptions, type CorsPolicy, letPageRead } from '../base/http/cors.ts';
import { answerJson, httpApp } from '../base/http/http-app.ts';
import { HttpError } from '../base/http/http-error.ts';
import { type HttpBounds, HttpListener, SMALL_BOUNDS } from '../base/http/http-listener.ts';
import { plainRefusal, type Refusal } from '../base/http/refusal.ts';
import type { Logger } from '../base/log.ts';
import type { Database } from '../postgres/database.ts';
import { wakeAccount } from '../store/runs/wake.ts';
import type { BodyRoom } from './body-room.ts';
import { largeBodyRoom } from './call-bodies.ts';
import type { IngressAnswer } from './ingress-answer.ts';
import { answerInvitation, type InvitationServices } from './invitation-page.ts';
import { answerOauthReturn, type OauthServices } from './oauth-page.ts';
import { answerUnsubscribe } from './unsubscribe-page.ts';
import { answerUpload, type UploadServices } from './upload-page.ts';

/** Pages run nothing and load nothing; their one form goes where it came from. */
const CSP = "default-src 'none'; form-action 'self'; frame-ancestors 'none'";
const NOTHING: IngressAnswer = { status: 404, body: { error: 'There is nothing here.' } };
const BUSY: Refusal = { status: 503, headers: { 'retry-after': '5' }, body: { error: 'Try again in a few seconds.' } };

/** A page of any origin may put a file: the console is another origin, and what opens the address is its secret. */
const UPLOADS = '/uploads/';
const UPLOADING_PAGES: CorsPolicy = {
  methods: ['PUT'],
  headers: ['content-type'],
  families: [],
  exposed: ['x-request-id'],
};

/** What its addresses need. */
export interface IngressServices extends InvitationServices {
  log: Logger;
  /** Where large bodies are counted; absent: in a room of its own. */
  room?: BodyRoom;
  /** What comes back from vendors; absent: nobody is sent there. */
  oauth?: OauthServices | undefined;
}

/** A file of 50 MB at a speed that a phone reaches; what is smaller has bounds of its own. */
const BOUNDS: HttpBounds = { ...SMALL_BOUNDS, requestTimeout: 300_000 };

/**
 * Takes what comes from outside: provider webhooks (a hint that queues a fetch, whatever it says), invitations, files of leads, people
 * who come back from a vendor, and the wish to get no more mail. Anybody may ask under any name: what opens something is the secret in the path, which no log shows.
 */
export class Ingress {
  readonly #listener: HttpListener;

  /**
   * @param bounds of its listener
   * @param now monotonic ms
   */
  constructor(services: IngressServices, bounds: Partial<HttpBounds> = {}, now?: () => number) {
    const clock = new SystemClock();
    const { db, room = largeBodyRoom(clock) } = services;
    const app = httpApp({
      name: 'ingress',
      log: services.log,
      ids: services.ids,
      hosts: { hosts: 'any', origins: 'any' },
      paths: ['/hooks/*', '/invitations/*', '/oauth/return', '/u/*', '/uploads/*'],
      refuse: (error) => (error instanceof HttpError ? plainRefusal(error) : BUSY),
    });
    app.use(async (ctx) => {
      const { origin } = ctx.req.headers;
      if (origin !== undefined && ctx.state.path.startsWith(UPLOADS)) {
        letPageRead(ctx.res, origin, UPLOADING_PAGES);
        if (ctx.method === 'OPTIONS') {
          ctx.respond = false;
          return answerOptions(ctx.req, ctx.res, UPLOADING_PAGES);
        }
      }
      const { status, body, page } = await answer(services, { db, clock, room }, ctx.req);
      ctx.req.resume();
      ctx.set({ 'cache-control': 'no-store', 'content-security-policy': CSP });
      if (page === undefined) return answerJson(ctx, status, body);
      ctx.status = status;
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = page;
    });
    this.#listener = new HttpListener(app, { ...BOUNDS, ...bounds }, now);
  }

  /** @returns its base URL */
  listen(host: string, port: number): Promise<string> {
    return this.#listener.listen(host, port);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }
}

async function answer(
  services: IngressServices,
  uploads: UploadServices,
  request: IncomingMessage,
): Promise<IngressAnswer> {
  const { oauth } = services;
  if (oauth && /^\/oauth\/return\?/.test(request.url ?? '')) return answerOauthReturn(services, oauth, request);
  const [, kind, secret] = /^\/(hooks|invitations|uploads|u)\/([A-Za-z0-9_-]{16,128})$/.exec(request.url ?? '') ?? [];
  if (secret === undefined) return NOTHING;
  if (kind === 'invitations') return answerInvitation(services, request, secret);
  if (kind === 'uploads') return answerUpload(uploads, request, secret);
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
