import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of a packet that is worth remembering. */
const MAX_BYTES = 8_192;
const NOTHING = Buffer.alloc(0);

/** Answers the body of a request as bytes of HTTP; undefined: HTTP shall take the request. */
export type Answering = (body: string) => string | undefined;

/** A request that HTTP parsed, and how its like is answered. */
interface Known {
  /** Request line and headers with the empty line. */
  head: Buffer;
  /** Bytes of the body. */
  length: number;
  answer: Answering;
}

/**
 * Stands between a connection and HTTP once a call on it was refused from memory. A request whose head is byte for byte
 * that of the one before needs no parsing: what HTTP and the checks of its headers say of it was said already.
 *
 * Two things have to be certain, so that requests and answers keep their order: that HTTP holds no part of a request, and
 * that it owes no answer. Both hold from the end of an answer to a request which was all that its packet held, or its two
 * packets of head and body, and until HTTP is handed something again.
 */
export class Shortcut {
  readonly #socket: Socket;
  readonly #http: (chunk: Buffer) => void;
  #known: Known | undefined;
  /** A known head came alone, and waits for its body. */
  #held = false;
  /** The last two packets that HTTP got, and how many it got. */
  #packets: [Buffer, Buffer] = [NOTHING, NOTHING];
  #handed = 0;

  private constructor(socket: Socket, http: (chunk: Buffer) => void) {
    this.#socket = socket;
    this.#http = http;
  }

  /**
   * Node lets everybody listen to a connection's bytes; HTTP's own listener gets them from here on.
   * @returns undefined where others listen too, who would miss what HTTP does not get
   */
  static on(socket: Socket): Shortcut | undefined {
    const [http, ...others] = socket.listeners('data') as ((chunk: Buffer) => void)[];
    if (!http || others.length > 0) return undefined;
    const made = new Shortcut(socket, http.bind(socket));
    socket.off('data', http);
    socket.on('data', (chunk: Buffer) => made.#take(chunk));
    return made;
  }

  /** The request that HTTP was handed last was answered by `answer`; its like will be from here. @param length of its body */
  learn(request: IncomingMessage, response: ServerResponse, length: number, answer: Answering): void {
    const handed = this.#handed;
    // A client that asks whether it may send its body waits for HTTP's answer.
    if (request.httpVersion !== '1.1' || request.headers.expect !== undefined || !response.shouldKeepAlive) return;
    const head = headOf(request);
    if (!this.#wasAll(head, length)) return;
    response.once('finish', () => {
      if (this.#handed === handed) this.#known = { head, length, answer };
    });
  }

  /** Whether the last packets were this head with its body and nothing else. */
  #wasAll(head: Buffer, length: number): boolean {
    const [before, last] = this.#packets;
    this.#packets = [NOTHING, NOTHING];
    if (last.length === length) return before.equals(head);
    return last.length === head.length + length && head.equals(last.subarray(0, head.length));
  }

  #take(chunk: Buffer): void {
    if (this.#known && this.#isHead(this.#known, chunk)) {
      this.#held = true;
      return;
    }
    const answer = this.#known && this.#answerOf(this.#known, chunk);
    if (answer === undefined) {
      this.#hand(chunk);
      return;
    }
    this.#held = false;
    this.#socket.write(answer);
  }

  /** The head holds a key: it is compared in constant time. */
  #isHead({ head }: Known, chunk: Buffer): boolean {
    return !this.#held && chunk.length === head.length && timingSafeEqual(head, chunk);
  }

  #answerOf({ head, length, answer }: Known, chunk: Buffer): string | undefined {
    const place = this.#held ? 0 : head.length;
    if (chunk.length !== place + length) return undefined;
    // HTTP stops reading from a client that does not read.
    if (this.#socket.writableNeedDrain) return undefined;
    if (!this.#held && !timingSafeEqual(head, chunk.subarray(0, place))) return undefined;
    return answer(chunk.toString('utf8', place));
  }

  #hand(chunk: Buffer): void {
    const head = this.#held ? this.#known?.head : undefined;
    this.#known = undefined;
    this.#held = false;
    if (head) this.#hand(head);
    this.#packets = [this.#packets[1], chunk.length <= MAX_BYTES ? chunk : NOTHING];
    this.#handed++;
    this.#http(chunk);
  }
}

/** A head as nearly every client writes it. One that was written otherwise is not equal, and stays with HTTP. */
function headOf({ method, url, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/1.1\r\n`;
  for (let place = 0; place < rawHeaders.length; place += 2)
    text += `${rawHeaders[place]}: ${rawHeaders[place + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}
