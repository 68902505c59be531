import type { IncomingMessage } from 'node:http';
import { type Clock, SystemClock } from '../clock.ts';
import { bodyText } from './body-text.ts';
import { HttpError } from './http-error.ts';

/** Real ms without a byte after which a body has ended: a connection that is alive sends again within one. */
export const BODY_IDLE_MS = 5_000;

/** What a body may be, and how slowly it may come. */
export interface BodyBounds {
  /** More is refused. */
  maxBytes: number;
  /** What a caller is told who sent more. */
  advice?: string;
  /** Real ms without a byte, after which the request ends. */
  idleMs?: number;
  /** Real ms from the first look at the body to its end; default: what the listener gives a request. */
  withinMs?: number;
  /** Real time. */
  clock?: Clock;
  room?: ReadingRoom;
  /** Ends the request with its reason. */
  signal?: AbortSignal;
  /**
   * Called when a turn of the event loop after its head the body is not whole, as one is that came in one piece with it.
   * @throws what ends the request at once
   */
  late?: () => LateBody;
}

/** What is to be known of a body that comes late. */
export interface LateBody {
  /** Ends the request with its reason. */
  signal: AbortSignal;
  /** Called when the body is whole, or will never be. */
  over: () => void;
}

/** Counts what is read. */
export interface ReadingRoom {
  /** So many bytes came. @returns whether more may be read now */
  took(bytes: number): boolean;
  /** Resolves as soon as more may be read. @throws what ends the request */
  more(): Promise<void>;
}

const systemClock = new SystemClock();
/** Why the watch over a body ends; an error for each would cost more than the body. */
const ENDED = 'ended';

/**
 * Reads a body within bounds of size and time. No async function, and one timer of all: a flood of small ones would feel it.
 * @throws HttpError 413, 408 when it stops on its way, 400 when its client is gone or it is not UTF-8, and what its room throws
 */
export function readBody(request: IncomingMessage, bounds: BodyBounds): Promise<string> | string {
  const { maxBytes, advice = '', room, signal } = bounds;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes, advice);
  signal?.throwIfAborted();
  // A client that left while its key was looked at: of its request nothing is told any more.
  if (request.destroyed) throw endedEarly();
  if (request.complete) {
    const body = (request.read() as Buffer | null) ?? Buffer.alloc(0);
    if (body.length > maxBytes) throw tooLarge(maxBytes, advice);
    room?.took(body.length);
    return bodyText(body);
  }
  return new ArrivingBody(request, bounds).whole();
}

/** A body that is being read. */
class ArrivingBody {
  readonly #request: IncomingMessage;
  readonly #bounds: BodyBounds;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #moving: MovingBody | undefined;
  #late: LateBody | undefined;
  #isOver = false;

  constructor(request: IncomingMessage, bounds: BodyBounds) {
    this.#request = request;
    this.#bounds = bounds;
  }

  whole(): Promise<string> {
    // Events instead of an iterator, which costs as much as the rest of a small request.
    return new Promise<string>((resolve, reject) => {
      const request = this.#request;
      const fail = (error: unknown): void => {
        this.#over();
        reject(error);
      };
      request.on('data', (chunk: Buffer) => this.#took(chunk, fail));
      request.on('end', () => {
        this.#over();
        try {
          resolve(bodyText(this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)));
        } catch (error) {
          reject(error);
        }
      });
      request.on('error', fail);
      // Also of a whole body, when the connection ended before it was read.
      request.on('close', () => {
        if (!request.readableEnded) fail(endedEarly());
      });
      endsBy(this.#bounds.signal, fail);
      oneTurnLater(() => this.#comesLate(fail));
    });
  }

  #took(chunk: Buffer, fail: (error: unknown) => void): void {
    const { maxBytes, advice = '', room } = this.#bounds;
    this.#size += chunk.length;
    if (this.#size > maxBytes) {
      fail(tooLarge(maxBytes, advice));
      return;
    }
    this.#chunks.push(chunk);
    this.#moving?.moved();
    // What is whole already only waits to be read: it costs nothing more, and the sooner it ends the better.
    if (!room || room.took(chunk.length) || this.#request.complete) return;
    this.#watch(fail).pause(this.#request, room).catch(fail);
  }

  #comesLate(fail: (error: unknown) => void): void {
    if (this.#isOver || this.#request.complete) return;
    try {
      this.#late = this.#bounds.late?.();
      endsBy(this.#late?.signal, fail);
      this.#watch(fail);
    } catch (error) {
      fail(error);
    }
  }

  #watch(fail: (error: unknown) => void): MovingBody {
    if (this.#moving) return this.#moving;
    const moving = new MovingBody(this.#bounds);
    this.#moving = moving;
    moving.untilStopped().catch(fail);
    return moving;
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#moving?.end();
    this.#late?.over();
  }
}

let nextTurn: (() => void)[] = [];

/** Calls this when the event loop has handled what is there to be read now. */
function oneTurnLater(call: () => void): void {
  if (nextTurn.push(call) > 1) return;
  setImmediate(() => {
    const calls = nextTurn;
    nextTurn = [];
    for (const one of calls) one();
  });
}

function endsBy(signal: AbortSignal | undefined, fail: (error: unknown) => void): void {
  signal?.addEventListener('abort', () => fail(signal.reason), { once: true });
}

/** Notices a body that stops on its way. */
class MovingBody {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #endsAt: number;
  readonly #ended = new AbortController();
  #movedAt: number;
  #paused = false;

  constructor({ clock = systemClock, idleMs = BODY_IDLE_MS, withinMs = Number.POSITIVE_INFINITY }: BodyBounds) {
    this.#endsAt = clock.now() + withinMs;
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#movedAt = clock.now();
  }

  moved(): void {
    this.#movedAt = this.#clock.now();
  }

  /** Reads no more until there is room: the client can do nothing for it. */
  async pause(request: IncomingMessage, room: ReadingRoom): Promise<void> {
    this.#paused = true;
    request.pause();
    try {
      await room.more();
    } finally {
      this.#paused = false;
      this.moved();
      request.resume();
    }
  }

  /** Resolves when the body has ended. @throws HttpError 408 when no byte came for so long */
  async untilStopped(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const left = Math.min(this.#movedAt + this.#idleMs, this.#endsAt) - this.#clock.now();
      if (left <= 0 && !this.#paused) throw stopped(this.#idleMs);
      await this.#clock.sleep(left > 0 ? left : this.#idleMs, signal).catch(() => undefined);
    }
  }

  end(): void {
    this.#ended.abort(ENDED);
  }
}

function tooLarge(maxBytes: number, advice: string): HttpError {
  const text = `The body is larger than ${maxBytes} bytes.${advice && ` ${advice}`}`;
  return new HttpError(413, text, { connection: 'close' });
}

function stopped(idleMs: number): HttpError {
  const text = `The body stopped on its way: no byte came for ${idleMs / 1_000} s. Send the request again, in one piece.`;
  return new HttpError(408, text, { connection: 'close' });
}

function endedEarly(): HttpError {
  return new HttpError(400, 'The body ended early.');
}
