import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of a request that is worth remembering. */
const MAX_BYTES = 8_192;

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
 * that it owes no answer. Both hold from the end of an answer to a request which was all that its packet held, and until
 * HTTP is handed something again.
 */
export class Shortcut {
  readonly #socket: Socket;
  readonly #http: (chunk: Buffer) => void;
  #known: Known | undefined;
  /** What HTTP got last, and how often it got something. */
  #last: Buffer | undefined;
  #handed = 0;

  /** Node lets everybody listen to a connection's bytes; HTTP's own listener gets them from here. */
  constructor(socket: Socket) {
    this.#socket = socket;
    const [http, ...others] = socket.listeners('data');
    if (!http || others.length > 0) throw new Error('this connection has other listeners than HTTP');
    this.#http = http.bind(socket) as (chunk: Buffer) => void;
    socket.off('data', http as () => void);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  /** The request that HTTP was handed last was answered by `answer`; its like will be from here. @param length of its body */
  learn(request: IncomingMessage, response: ServerResponse, length: number, answer: Answering): void {
    const packet = this.#last;
    const handed = this.#handed;
    if (!packet || request.httpVersion !== '1.1' || !response.shouldKeepAlive) return;
    const head = headOf(request);
    if (packet.length !== head.length + length || !head.equals(packet.subarray(0, head.length))) return;
    response.once('finish', () => {
      if (request.complete && this.#handed === handed) this.#known = { head, length, answer };
    });
  }

  #take(chunk: Buffer): void {
    const answer = this.#known && this.#answerOf(this.#known, chunk);
    if (answer === undefined) this.#hand(chunk);
    else this.#socket.write(answer);
  }

  #answerOf({ head, length, answer }: Known, chunk: Buffer): string | undefined {
    if (chunk.length !== head.length + length) return undefined;
    // HTTP stops reading from a client that does not read.
    if (this.#socket.writableNeedDrain) return undefined;
    // The head holds a key.
    if (!timingSafeEqual(head, chunk.subarray(0, head.length))) return undefined;
    return answer(chunk.toString('utf8', head.length));
  }

  #hand(chunk: Buffer): void {
    this.#known = undefined;
    this.#last = chunk.length <= MAX_BYTES ? chunk : undefined;
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
