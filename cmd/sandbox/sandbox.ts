import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, every, SystemClock } from '../../pkg/base/clock.ts';
import { messageOf } from '../../pkg/base/errors.ts';
import { type Ids, systemIds } from '../../pkg/base/ids.ts';
import { createLogger, type Logger } from '../../pkg/base/log.ts';
import { control } from './control.ts';
import { Deliverer } from './deliver.ts';
import { Faults } from './faults.ts';
import { type Call, Refusal, readCall, refusalReply, send } from './http.ts';
import { startImap } from './mail/imap-server.ts';
import { startSmtp } from './mail/smtp-server.ts';
import { mayCall, outsideRoute, refuseStranger } from './outside/outside-routes.ts';
import { live } from './people.ts';
import { serveProvider } from './serve-provider.ts';
import { Store } from './store.ts';
import { World } from './world.ts';

export interface SandboxOptions {
  /** Product time: what the population lives by. */
  clock: Clock;
  /** Real time: how long the lists lag behind a late action. */
  real?: Clock;
  /** Folder of its own database. */
  home: string;
  /** The same seed gives the same people. */
  seed: string;
  /** Key that the provider's API asks for in `X-API-KEY`. */
  apiKey: string;
  /** 0: a free port. */
  port?: number;
  host?: string;
  /** Of its SMTP server; 0: a free port. */
  smtpPort?: number;
  /** Host names that webhooks may go to besides this machine's own. */
  webhookHosts?: readonly string[];
  ids?: Ids;
  log?: Logger;
}

export interface Sandbox {
  /** `http://127.0.0.1:port`; the provider's API is under `/api/v1`, the handles for tests under `/_sandbox`. */
  url: string;
  /** Its mail servers; every mailbox opens with the API key as password. */
  mail: { smtpPort: number; imapPort: number };
  /** Lets the population do what is due and sends the webhooks; also happens by itself. */
  tick(): void;
  stop(): Promise<void>;
}

/** How often people are looked after without requests, real ms. */
const TICK_MS = 50;

/**
 * A professional network that speaks Unipile's wire format, with people who accept, ignore, reply and ask to stop. It
 * de-duplicates nothing and keeps a ledger of everything that it did, in a file of its own.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const log = options.log ?? createLogger('sandbox', 'silent');
  const store = new Store(options.home);
  const { clock, seed } = options;
  const world = new World({
    store,
    clock,
    real: options.real ?? new SystemClock(),
    ids: options.ids ?? systemIds,
    seed,
    webhookHosts: options.webhookHosts ?? [],
  });
  const stopping = new AbortController();
  const deliverer = new Deliverer(world, log, stopping.signal);
  const parts: Parts = {
    world,
    faults: new Faults(store, seed),
    stop: stopping.signal,
    log,
    apiKey: options.apiKey,
    mail: { smtpPort: 0, imapPort: 0 },
    tick,
  };
  function tick(): void {
    for (let more = true; more; ) {
      const lived = live(world);
      deliverer.deliver(lived.deliveries);
      more = lived.more;
    }
  }
  const server = createServer((request, response) => void serve(parts, request, response));
  server.requestTimeout = 30_000;
  server.maxConnections = 1_000;
  await listen(server, options.port ?? 0, options.host ?? '127.0.0.1').catch((error: unknown) => {
    store.close();
    throw error;
  });
  const host = options.host ?? '127.0.0.1';
  const mailServers = { ...parts, password: options.apiKey, host, smtpPort: options.smtpPort ?? 0 };
  const smtp = await startSmtp(mailServers);
  const imap = await startImap(mailServers);
  parts.mail = { smtpPort: smtp.port, imapPort: imap.port };
  const stopTicking = every(TICK_MS, tick);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    mail: parts.mail,
    tick,
    stop: async () => {
      stopTicking();
      stopping.abort(new Error('the sandbox stops'));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, smtp.close(), imap.close()]);
      store.close();
    },
  };
}

interface Parts {
  world: World;
  faults: Faults;
  stop: AbortSignal;
  log: Logger;
  apiKey: string;
  mail: Sandbox['mail'];
  tick: () => void;
}

async function serve(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    if (url.pathname.startsWith('/_sandbox/')) {
      // A web page of the same machine must not steer the sandbox.
      if (request.headers.origin) throw new Refusal(403, 'insufficient_permissions', 'no browsers here');
      return await serveControl(parts, await readCall(request, url, 1), response);
    }
    if (url.pathname.startsWith('/outside/'))
      return await serveOutside(parts, await readCall(request, url, 0), response);
    if (!url.pathname.startsWith('/api/v1/')) throw new Refusal(404, 'resource_not_found', 'the API is under /api/v1');
    if (!sameKey(request.headers['x-api-key'], parts.apiKey))
      throw new Refusal(401, 'invalid_credentials', 'X-API-KEY is wrong');
    const call = await readCall(request, url, 2);
    parts.tick();
    await serveProvider(parts, call, response);
  } catch (error) {
    if (parts.stop.aborted || response.destroyed) return void response.destroy();
    if (!(error instanceof Refusal)) parts.log.error({ reason: messageOf(error) }, 'a request failed');
    const refusal =
      error instanceof Refusal ? error : new Refusal(500, 'unexpected_error', 'the sandbox failed; see its log');
    send(response, refusalReply(refusal));
  }
}

/** The other services, each in the wire format of the real one. */
async function serveOutside(parts: Parts, call: Call, response: ServerResponse): Promise<void> {
  if (!mayCall(call, parts.apiKey)) return send(response, refuseStranger(call));
  await serveProvider(parts, call, response, outsideRoute(call));
}

async function serveControl(parts: Parts, call: Call, response: ServerResponse): Promise<void> {
  parts.tick();
  if (call.method === 'GET' && call.path.join('/') === 'mail') {
    send(response, { status: 200, body: parts.mail });
    return;
  }
  send(
    response,
    parts.world.store.tx(() => control(parts.world, parts.faults, call)),
  );
}

function sameKey(given: string | string[] | undefined, expected: string): boolean {
  if (typeof given !== 'string') return false;
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(given)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
