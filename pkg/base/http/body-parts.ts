import type { IncomingMessage } from 'node:http';
import { type Clock, endWith } from '../clock.ts';
import { HttpError } from './http-error.ts';
import type { ReadingRoom } from './read-body.ts';

/** How a long body is taken, part by part. */
export interface PartBounds {
  /** Bytes of each part but the last. */
  partBytes: number;
  /** Real ms without a byte, after which the request ends. */
  idleMs: number;
  /** Real time. */
  clock: Clock;
}

/** Room for one part, which is held until the part was handed on. */
export interface PartRoom extends ReadingRoom {
  /** The part is whole. */
  arrived(): void;
  release(): void;
}

/**
 * Takes a body that is too long to be held: part by part, the client waiting while one is handed on, so that no more of it is in memory
 * than one part and what the connection buffers.
 * @param enter lets a part in; aborts `ended` when the part has to give way
 * @param keep hands a part on
 * @throws HttpError 408 when the body stops on its way, 400 when its client is gone, and what `enter` and `keep` throw
 */
export async function takeParts(
  request: IncomingMessage,
  bounds: PartBounds,
  enter: (ended: AbortController) => Promise<PartRoom>,
  keep: (part: Buffer) => Promise<void>,
): Promise<void> {
  const pieces = new Pieces(request, bounds);
  while (!pieces.ended) {
    const ended = new AbortController();
    const room = await enter(ended);
    try {
      const part = await pieces.part(room, ended.signal);
      room.arrived();
      if (part.length > 0) await keep(part);
    } finally {
      room.release();
    }
  }
}

/** What a request brings, in parts of one size. */
class Pieces {
  readonly #request: IncomingMessage;
  readonly #bounds: PartBounds;
  #left: Buffer = Buffer.alloc(0);
  #over = false;

  constructor(request: IncomingMessage, bounds: PartBounds) {
    this.#request = request;
    this.#bounds = bounds;
    // The events below tell of it; an error without a listener would end the process.
    request.on('error', () => undefined);
  }

  get ended(): boolean {
    return this.#over && this.#left.length === 0;
  }

  async part(room: ReadingRoom, signal: AbortSignal): Promise<Buffer> {
    const { partBytes } = this.#bounds;
    const chunks = [this.#left];
    let size = this.#left.length;
    while (size < partBytes && !this.#over) {
      const piece = await this.#next(signal);
      if (piece === null) this.#over = true;
      else {
        chunks.push(piece);
        size += piece.length;
        if (!room.took(piece.length)) await room.more();
      }
    }
    const all = Buffer.concat(chunks);
    this.#left = all.subarray(partBytes);
    return all.subarray(0, partBytes);
  }

  /** What came; null at the end. */
  async #next(signal: AbortSignal): Promise<Buffer | null> {
    for (;;) {
      signal.throwIfAborted();
      const piece = this.#request.read() as Buffer | null;
      if (piece !== null) return piece;
      if (this.#request.readableEnded) return null;
      if (this.#request.destroyed) throw new HttpError(400, 'The body ended early.');
      await this.#moves(signal);
    }
  }

  /** Resolves when there is something to be read, or nothing will be any more. @throws HttpError 408 */
  async #moves(signal: AbortSignal): Promise<void> {
    const { clock, idleMs } = this.#bounds;
    const moved = new AbortController();
    const letGo = endWith(signal, moved);
    const move = (): void => moved.abort('moved');
    for (const event of EVENTS) this.#request.on(event, move);
    try {
      const idle = await clock.sleep(idleMs, moved.signal).then(
        () => true,
        () => false,
      );
      if (idle)
        throw new HttpError(408, `The body stopped: no byte came for ${idleMs / 1_000} s. Send it again.`, CLOSE);
    } finally {
      letGo();
      for (const event of EVENTS) this.#request.off(event, move);
    }
  }
}

const EVENTS = ['readable', 'end', 'close', 'error'] as const;
const CLOSE = { connection: 'close' };
