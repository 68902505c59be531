import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { messageOf, UserError } from '../base/errors.ts';
import type { ClockAuthority } from './clock-authority.ts';

const clockChange = z.strictObject({
  speed: z.number().min(0).max(1_000_000).optional(),
  advanceMs: z.number().min(0).optional(),
  skipIdle: z.boolean().optional(),
});

const REAL_ACCOUNTS =
  'This home has real provider accounts, so its clock stays on real time: what it sends reaches people. Rehearse in a home of its own: make run OUTRIDER_HOME=<new folder>';

export interface ControlServerOptions {
  token: string;
  clock: ClockAuthority;
  /** Starts the demo once more; resolves when it was started. */
  startDemo: () => Promise<void>;
  /** How many real provider accounts are linked; with any, time must stay real. */
  realAccounts: () => Promise<number>;
}

/** Loopback endpoint of a running home, used by the command line (`outrider clock`, `make demo`). */
export class ControlServer {
  readonly #options: ControlServerOptions;
  readonly #server: Server;

  constructor(options: ControlServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        send(response, 400, { error: messageOf(error) });
      });
    });
    this.#server.requestTimeout = 10_000;
  }

  /** @returns its address */
  listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(`http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`);
      });
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#allowed(request)) {
      send(response, 401, { error: 'wrong control token' });
      return;
    }
    const route = `${request.method} ${request.url}`;
    if (route === 'GET /clock') {
      send(response, 200, this.#options.clock.state());
      return;
    }
    if (route === 'POST /clock') {
      await this.#changeClock(await readBody(request));
      send(response, 200, this.#options.clock.state());
      return;
    }
    if (route === 'POST /demo') {
      await this.#options.startDemo();
      send(response, 200, { started: true });
      return;
    }
    send(response, 404, { error: `no such route: ${route}` });
  }

  async #changeClock(body: unknown): Promise<void> {
    const change = clockChange.parse(body);
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

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > 65_536) throw new Error('body too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
