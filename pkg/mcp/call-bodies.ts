import type { IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { type BodyBounds, type LateBody, readBody } from '../base/http/read-body.ts';
import type { Authenticated } from './authentication.ts';
import { holdersOf } from './body-holders.ts';
import { BodyRoom, type Taken } from './body-room.ts';
import type { Exchange } from './exchange.ts';
import { OpenBodies, type OpenBounds } from './open-bodies.ts';

/** svc_import_leads_csv takes 5 MB of text, which JSON may escape. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MB = 1024 * 1024;
/** Bodies up to this size need no room: as many as there may be connections hold 40 MB. */
const TINY_BYTES = 4_096;
/** Bodies up to this size never wait for large ones. */
const SMALL_BYTES = 65_536;
/** Real ms that a body waits for room; a request may take a minute. */
const BODY_WAIT_MS = 20_000;
/** Bodies on their way; there are 10,000 connections, and a key makes two calls in a second. */
const OPEN: OpenBounds = { total: 4_000, perUser: 64, perWorkspace: 128 };

export interface BodyOptions {
  /** Real time. */
  clock: Clock;
  /** Real ms that a body waits for room before it is refused. */
  waitMs?: number | undefined;
  /** Where large bodies are counted; absent: in a room of its own. */
  large?: BodyRoom | undefined;
}

/** The room of large bodies of a process: those of calls, and the parts of files that the ingress takes. */
export function largeBodyRoom(clock: Clock, waitMs = BODY_WAIT_MS): BodyRoom {
  const [perUser, perWorkspace] = [3 * MAX_BODY_BYTES, 4 * MAX_BODY_BYTES];
  return new BodyRoom({ total: 64 * MB, last: MAX_BODY_BYTES, perUser, perWorkspace, waitMs }, clock);
}

type Work = (body: string) => Promise<void> | undefined;

/** Reads the bodies of calls, within what all of them may hold at once. */
export class CallBodies {
  readonly #clock: Clock;
  readonly #open: OpenBodies;
  readonly #small: BodyRoom;
  readonly #large: BodyRoom;

  constructor({ clock, waitMs = BODY_WAIT_MS, large }: BodyOptions) {
    this.#clock = clock;
    this.#open = new OpenBodies(OPEN);
    const small = { total: 64 * MB, last: SMALL_BYTES, perUser: 16 * MB, perWorkspace: 24 * MB, waitMs };
    this.#small = new BodyRoom(small, clock);
    this.#large = large ?? largeBodyRoom(clock, waitMs);
  }

  /**
   * Reads a body and works on it; its room is free again when the work has ended.
   * @throws HttpError 413, 429 when there is no room in time, 408 when it stops, 400 when its client is gone
   */
  async with(exchange: Exchange, work: Work): Promise<void> {
    const { request, authenticated } = exchange;
    const announced = announcedBytes(request);
    // Internal callers are not limited; a body that is too large is not read.
    if (authenticated.hash === null || announced > MAX_BODY_BYTES) return work(await this.#read(request));
    if (announced > TINY_BYTES || isChunked(request)) return this.#inRoom(exchange, announced, work);
    // One that came in one piece with its head costs nothing but reading it.
    return work(await this.#read(request, { late: () => this.#late(authenticated) }));
  }

  #late({ caller }: Authenticated): LateBody {
    const ended = new AbortController();
    return { signal: ended.signal, over: this.#open.open(holdersOf(caller), ended) };
  }

  async #inRoom(exchange: Exchange, announced: number, work: Work): Promise<void> {
    const { body, taken } = await this.#arrival(exchange, announced);
    try {
      await work(body);
    } finally {
      taken.release();
    }
  }

  /** A body that is whole, and the room that it takes. */
  async #arrival({ request, authenticated }: Exchange, announced: number): Promise<{ body: string; taken: Taken }> {
    const holders = holdersOf(authenticated.caller);
    const ended = new AbortController();
    const close = this.#open.open(holders, ended);
    const room = announced <= SMALL_BYTES && !isChunked(request) ? this.#small : this.#large;
    try {
      const taken = await room.enter(holders, announced, ended);
      try {
        const body = await this.#read(request, { room: taken, signal: ended.signal });
        taken.arrived();
        return { body, taken };
      } catch (error) {
        taken.release();
        throw error;
      }
    } finally {
      close();
    }
  }

  #read(request: IncomingMessage, more: Pick<BodyBounds, 'room' | 'signal' | 'late'> = {}): Promise<string> | string {
    const advice = 'Send less, for example a CSV in parts.';
    return readBody(request, { maxBytes: MAX_BODY_BYTES, advice, clock: this.#clock, ...more });
  }
}

/** What a body will take, as its header says; nobody knows it of a chunked one, which counts as it comes. */
function announcedBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

function isChunked(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined;
}
