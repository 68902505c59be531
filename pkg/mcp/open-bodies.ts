import { HttpError } from '../base/http/http-error.ts';
import { type Part, Shares } from '../base/shares.ts';
import { type HolderBounds, mostOf } from './body-holders.ts';

/** How many bodies may be on their way at once. */
export interface OpenBounds extends HolderBounds {
  total: number;
}

/** A body on its way. */
interface OpenBody extends Part {
  /** Aborted when it has to give way. */
  ended: AbortController;
}

/**
 * Counts bodies that are on their way: each holds a connection, however small it is. What came in one piece of 4 kB at most with its head is none.
 * When there are as many as there may be, the longest of who has most gives way.
 */
export class OpenBodies {
  readonly #bounds: OpenBounds;
  readonly #places: Shares;
  readonly #open = new Set<OpenBody>();

  constructor(bounds: OpenBounds) {
    this.#bounds = bounds;
    this.#places = new Shares(bounds.total, mostOf(bounds));
  }

  /**
   * @param ended aborted with an HttpError when the body has to give way
   * @returns gives the place back
   * @throws HttpError 429 when the holders have as many as they may
   */
  open(holders: readonly string[], ended: AbortController): () => void {
    const body = { holders, ended };
    if (!this.#places.allows(body, 1)) throw this.#tooMany();
    this.#places.add(body, 1);
    if (this.#places.left < 0) {
      const other = this.#places.inFavourOf(body, this.#open);
      if (!other) {
        this.#places.add(body, -1);
        throw this.#tooMany();
      }
      this.#close(other);
      other.ended.abort(this.#tooMany());
    }
    this.#open.add(body);
    return () => this.#close(body);
  }

  #close(body: OpenBody): void {
    if (this.#open.delete(body)) this.#places.add(body, -1);
  }

  #tooMany(): HttpError {
    const { perUser, perWorkspace } = this.#bounds;
    const bound = `at most ${perUser} of a user and ${perWorkspace} of a workspace may be on their way`;
    const text = `Too many bodies are being sent at once: ${bound}. Send fewer at once, each in one piece, and retry.`;
    return new HttpError(429, text, { 'retry-after': '2', connection: 'close' });
  }
}
