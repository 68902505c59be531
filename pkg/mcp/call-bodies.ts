import type { IncomingMessage } from 'node:http';
import { readBody } from '../base/http/read-body.ts';
import { BodyRoom } from './body-room.ts';
import type { Exchange } from './exchange.ts';

/** svc_import_leads_csv takes 5 MB of text, which JSON may escape. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MB = 1024 * 1024;
/** Bodies up to this size need no room: as many as there may be connections hold 40 MB. */
const TINY_BYTES = 4_096;
/** Bodies up to this size never wait for large ones. */
const SMALL_BYTES = 65_536;
/** Real ms that a body waits for room; a request may take a minute. */
const BODY_WAIT_MS = 20_000;

/** Reads the bodies of calls, within what all of them may hold at once. */
export class CallBodies {
  readonly #small: BodyRoom;
  readonly #large: BodyRoom;

  /** @param waitMs that a body waits for room before it is refused */
  constructor(waitMs = BODY_WAIT_MS) {
    this.#small = new BodyRoom({ total: 64 * MB, perKey: 16 * MB, waitMs });
    this.#large = new BodyRoom({ total: 64 * MB, perKey: 3 * MAX_BODY_BYTES, waitMs });
  }

  /**
   * Reads a body and works on it; its room is free again when the work has ended.
   * @throws HttpError 413, 429 when there is no room in time, 400 when its client is gone
   */
  async with({ request, authenticated }: Exchange, work: (body: string) => Promise<void> | undefined): Promise<void> {
    const bytes = announcedBytes(request);
    // Internal callers are not limited.
    if (bytes <= TINY_BYTES || authenticated.hash === null) return work(await read(request));
    const room = bytes <= SMALL_BYTES ? this.#small : this.#large;
    const { keyId } = authenticated.caller;
    const taken = room.takeNow(keyId, bytes) ?? (await room.wait(keyId, bytes));
    try {
      const body = await read(request);
      taken.shrink(body.length);
      await work(body);
    } finally {
      taken.release();
    }
  }
}

function read(request: IncomingMessage): Promise<string> {
  return readBody(request, MAX_BODY_BYTES, 'Send less, for example a CSV in parts.');
}

/** What a body will take: as its header says; without one as much as is taken at most. One that is too large is not read. */
function announcedBytes(request: IncomingMessage): number {
  const length = Number(request.headers['content-length'] ?? MAX_BODY_BYTES);
  return length <= MAX_BODY_BYTES ? length : 0;
}
