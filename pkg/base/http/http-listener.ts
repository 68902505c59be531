import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { monotonicMs, sleepReal } from '../clock.ts';
import { Connections } from './connections.ts';
import { IdentifiedResponse } from './identified-response.ts';

/** What strangers get of time and memory; all times in real ms. */
export interface HttpBounds {
  /** Open connections; beyond them those that ask nothing give way (`Connections`). */
  maxConnections: number;
  /** Of one address. A proxy or an office is one too, so that it may have much, but not all. */
  perAddress: number;
  /** From the first byte of a request to the last of its headers. */
  headersTimeout: number;
  /** From the first byte of a request to the last of its body. */
  requestTimeout: number;
  /** For which an idle connection stays open. */
  keepAliveTimeout: number;
  /** Without a byte in either direction, after which a connection is cut: also a client that does not read its answer. */
  idleTimeout: number;
  /** Bytes of a request line with its headers; more are refused (431). */
  maxHeaderSize: number;
}

/** For faces whose requests are small and whose answers take milliseconds. */
export const SMALL_BOUNDS: HttpBounds = {
  maxConnections: 2_000,
  perAddress: 1_000,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  idleTimeout: 20_000,
  maxHeaderSize: 16_384,
};

/** Milliseconds between two looks for connections that are over their time: by so much they may be late. */
const LOOK_MS = 1_000;
/** Milliseconds without a new request after which nothing waits in the listener's queue any more, and the most of it. */
const QUIET_MS = 50;
export const MAX_QUIET_MS = 3_000;

/**
 * Listens for a Koa application within bounds, and stops without losing what was accepted. Node's parser refuses what is no
 * HTTP/1.1 by the letter (two lengths, length and chunks, folded or bare lines): nothing here makes it lenient.
 */
export class HttpListener {
  readonly #server: Server;
  #inFlight = 0;
  #arrived = 0;
  #draining = false;

  /** @param now monotonic ms */
  constructor(app: Pick<Koa, 'callback'>, bounds: HttpBounds, now: () => number = monotonicMs) {
    const { maxConnections, perAddress, idleTimeout, ...timeouts } = bounds;
    const handle = app.callback();
    const options = { ...timeouts, connectionsCheckingInterval: LOOK_MS, requireHostHeader: true };
    const left = (): void => {
      this.#inFlight--;
    };
    this.#server = createServer({ ...options, ServerResponse: IdentifiedResponse }, (request, response) => {
      connections.asked(request.socket);
      this.#arrive(response);
      // Koa answers whatever is thrown.
      void handle(request, response).then(left, left);
    });
    const endIdle = (): void => this.#server.closeIdleConnections();
    const connections = new Connections({ total: maxConnections, perAddress }, now, endIdle);
    this.#server.on('connection', (socket) => connections.opened(socket));
    this.#server.timeout = idleTimeout;
  }

  /** @returns its base URL */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * Answers from here on end their connections, so that clients find another replica for their next request and none is cut in
   * the middle of one. Resolves `ms` later, when nothing arrives any more.
   */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    await sleepReal(ms);
    // A busy process has connections in its queue that it did not accept yet: closing would cut them.
    for (let waited = 0; waited < MAX_QUIET_MS; waited += QUIET_MS) {
      const before = this.#arrived;
      await sleepReal(QUIET_MS);
      if (this.#arrived === before && this.#inFlight === 0) return;
    }
  }

  /** Stops accepting, gives requests in flight this time to end, and cuts what is left. */
  async close(endingMs = 0): Promise<void> {
    this.#draining = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (let waited = 0; this.#inFlight > 0 && waited < endingMs; waited += 20) await sleepReal(20);
    this.#server.closeAllConnections();
    await closed;
  }

  #arrive(response: ServerResponse): void {
    this.#arrived++;
    this.#inFlight++;
    if (this.#draining) response.shouldKeepAlive = false;
  }
}
