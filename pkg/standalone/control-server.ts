import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { messageOf, UserError } from '../base/errors.ts';
import { answerJson, type FaceContext, httpApp } from '../base/http/http-app.ts';
import { HttpError } from '../base/http/http-error.ts';
import { HttpListener, SMALL_BOUNDS } from '../base/http/http-listener.ts';
import { readBody } from '../base/http/read-body.ts';
import { plainRefusal, type Refusal } from '../base/http/refusal.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { ClockAuthority } from './clock-authority.ts';

const clockChange = z.strictObject({
  speed: z.number().min(0).max(1_000_000).optional(),
  advanceMs: z.number().min(0).optional(),
  skipIdle: z.boolean().optional(),
});
type ClockChange = z.output<typeof clockChange>;

const REAL_ACCOUNTS =
  'This home has real provider accounts, so its clock stays on real time: what it sends reaches people. Rehearse in a home of its own: make run OUTRIDER_HOME=<new folder>';

/** A change of the clock is a few words. */
const MAX_BODY = 4_096;
const PATHS = ['/clock', '/demo'];

export interface ControlServerOptions {
  token: string;
  ids: Ids;
  log: Logger;
  clock: ClockAuthority;
  /** Starts the demo once more; resolves when it was started. */
  startDemo: () => Promise<void>;
  /** How many real provider accounts are linked; with any, time must stay real. */
  realAccounts: () => Promise<number>;
}

/**
 * Loopback endpoint of a running home, used by the command line (`outrider clock`, `make demo`): `GET /clock`, `POST /clock`,
 * `POST /demo`, each with the home's token. No page from elsewhere may ask it, whatever it knows.
 */
export class ControlServer {
  readonly #options: ControlServerOptions;
  readonly #listener: HttpListener;

  constructor(options: ControlServerOptions) {
    this.#options = options;
    const { ids, log } = options;
    const app = httpApp({ name: 'control', log, ids, hosts: { hosts: [], origins: [] }, paths: PATHS, refuse });
    app.use((ctx) => this.#answer(ctx));
    this.#listener = new HttpListener(app, SMALL_BOUNDS);
  }

  /** @returns its address */
  listen(): Promise<string> {
    return this.#listener.listen('127.0.0.1', 0);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  async #answer(ctx: FaceContext): Promise<void> {
    const { clock, startDemo } = this.#options;
    if (!this.#allowed(ctx.req)) throw new HttpError(401, 'wrong control token');
    const route = `${ctx.method} ${ctx.state.path}`;
    if (route === 'POST /demo') {
      await startDemo();
      answerJson(ctx, 200, { started: true });
      return;
    }
    if (route === 'POST /clock') await this.#changeClock(await changeOf(ctx.req));
    else if (route !== 'GET /clock') throw new HttpError(404, `no such route: ${route.slice(0, 100)}`);
    answerJson(ctx, 200, clock.state());
  }

  async #changeClock(change: ClockChange): Promise<void> {
    const { clock, realAccounts } = this.#options;
    if (clock.wouldRunAhead(change) && (await realAccounts()) > 0) throw new UserError(REAL_ACCOUNTS, 'RealAccounts');
    if (change.speed !== undefined) await clock.setSpeed(change.speed);
    if (change.skipIdle !== undefined) await clock.setSkipIdle(change.skipIdle);
    if (change.advanceMs !== undefined) await clock.advance(change.advanceMs);
  }

  #allowed(request: IncomingMessage): boolean {
    const given = Buffer.from(request.headers.authorization ?? '');
    const wanted = Buffer.from(`Bearer ${this.#options.token}`);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

/** @throws HttpError 400 for what is no change */
async function changeOf(request: IncomingMessage): Promise<ClockChange> {
  const text = await readBody(request, { maxBytes: MAX_BODY });
  try {
    return clockChange.parse(JSON.parse(text || '{}'));
  } catch (error) {
    throw new HttpError(400, messageOf(error));
  }
}

/** Who has the token owns the home and may read what went wrong in it. */
function refuse(error: unknown): Refusal {
  if (error instanceof HttpError) return plainRefusal(error);
  return { status: error instanceof UserError ? 400 : 500, headers: {}, body: { error: messageOf(error) } };
}
