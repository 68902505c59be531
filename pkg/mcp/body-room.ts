import { type Clock, endWith } from '../base/clock.ts';
import { HttpError } from '../base/http/http-error.ts';
import type { ReadingRoom } from '../base/http/read-body.ts';
import { type Part, Shares } from '../base/shares.ts';
import { type HolderBounds, mostOf } from './body-holders.ts';

/** Bytes of bodies at once. A body takes several times its size until its call is over. */
export interface RoomBounds extends HolderBounds {
  total: number;
  /** Kept for the body that is being read for longest, so that one always comes to its end: as much as a body may have. */
  last: number;
  /** Real ms that a body waits for room before it is refused. */
  waitMs: number;
}

/** The part of a room that one body has. */
export interface Taken extends ReadingRoom {
  /** The body is whole. */
  arrived(): void;
  /** Its call is over, or it is not read any more. */
  release(): void;
}

interface Body extends Part {
  announced: number;
  bytes: number;
  /** Aborted when it has to give way. */
  ended: AbortController;
}

interface Waiting {
  /** Takes what it waits for. @returns false while there is none */
  take: () => boolean;
  granted: boolean;
  over: AbortController;
}

/**
 * Bounds what bodies hold in memory. Only bytes that came count for all: who announces much and sends nothing takes room from
 * nobody. What was announced counts against its own holders alone, so that a body which they have room for comes to its end.
 * When there is no room left, a body that is still being read gives way to those of holders who have much less.
 */
export class BodyRoom {
  readonly #bounds: RoomBounds;
  readonly #clock: Clock;
  readonly #announced: Shares;
  readonly #bytes: Shares;
  /** Those that are being read, in the order in which they began. */
  readonly #reading = new Set<Body>();
  readonly #waiting = new Set<Waiting>();

  /** @param clock real time */
  constructor(bounds: RoomBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#announced = new Shares(Number.POSITIVE_INFINITY, mostOf(bounds));
    this.#bytes = new Shares(bounds.total, mostOf(bounds));
  }

  /**
   * Lets a body in, as soon as its holders have room for what it announced.
   * @param ended aborted with an HttpError when the body has to give way
   * @throws HttpError 429 when they have none in time
   */
  async enter(holders: readonly string[], announced: number, ended: AbortController): Promise<Taken> {
    const body = { holders, announced, bytes: 0, ended };
    const take = (): boolean => this.#enters(body);
    if (!take()) await this.#wait(body, take);
    return {
      took: (bytes) => this.#took(body, bytes),
      more: () => this.#wait(body, () => this.#mayGoOn(body)),
      arrived: () => this.#arrived(body),
      release: () => this.#release(body),
    };
  }

  #enters(body: Body): boolean {
    if (!this.#announced.allows(body, body.announced)) return false;
    this.#announced.add(body, body.announced);
    this.#reading.add(body);
    return true;
  }

  #took(body: Body, bytes: number): boolean {
    // One that gave way counts no more, whatever comes of it still.
    if (body.ended.signal.aborted) return true;
    body.bytes += bytes;
    this.#bytes.add(body, bytes);
    while (this.#bytes.left < 0) {
      const other = this.#bytes.inFavourOf(body, this.#reading);
      if (!other) break;
      this.#release(other);
      other.ended.abort(tooMuch());
    }
    return this.#mayGoOn(body);
  }

  #mayGoOn(body: Body): boolean {
    const [oldest] = this.#reading;
    if (body === oldest) return this.#bytes.left + this.#bounds.last >= 0;
    return this.#bytes.left >= 0 && this.#bytes.allows(body, 0);
  }

  /** From here on it counts for what it is. */
  #arrived(body: Body): void {
    if (!this.#reading.delete(body)) return;
    this.#announced.add(body, body.bytes - body.announced);
    body.announced = body.bytes;
    this.#grant();
  }

  #release(body: Body): void {
    this.#reading.delete(body);
    this.#announced.add(body, -body.announced);
    this.#bytes.add(body, -body.bytes);
    body.announced = 0;
    body.bytes = 0;
    this.#grant();
  }

  /** In the order in which they came, all that find what they wait for. */
  #grant(): void {
    for (const waiting of this.#waiting) {
      if (!waiting.take()) continue;
      this.#waiting.delete(waiting);
      waiting.granted = true;
      waiting.over.abort('granted');
    }
  }

  async #wait({ ended }: Body, take: () => boolean): Promise<void> {
    const waiting: Waiting = { take, granted: false, over: new AbortController() };
    this.#waiting.add(waiting);
    const letGo = endWith(ended.signal, waiting.over);
    await this.#clock.sleep(this.#bounds.waitMs, waiting.over.signal).catch(() => undefined);
    letGo();
    this.#waiting.delete(waiting);
    if (waiting.granted) return;
    ended.signal.throwIfAborted();
    throw tooMuch();
  }
}

function tooMuch(): HttpError {
  const text = 'Too much is being sent at once. Send one large body after the other, and retry.';
  return new HttpError(429, text, { 'retry-after': '2' });
}
