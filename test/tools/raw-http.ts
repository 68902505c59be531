import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it came over the connection. */
export interface RawAnswer {
  status: number;
  /** Status line and headers. */
  head: string;
  body: string;
}

const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** A connection over which bytes go as a test says, packet by packet; answers are told apart by their length. */
export class RawHttp {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #closed = false;
  #changed: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#changed();
    });
    // What the server cuts shows as answers that are missing.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
      this.#changed();
    });
  }

  static async open(url: string): Promise<RawHttp> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawHttp(socket);
  }

  /** Resolves when the packet left. */
  send(packet: Buffer | string): Promise<void> {
    return new Promise((resolve) => this.#socket.write(packet, () => resolve()));
  }

  /** The next answers in their order. @throws Error when the connection ends before */
  async answers(count: number): Promise<RawAnswer[]> {
    const found: RawAnswer[] = [];
    while (found.length < count) {
      const answer = this.#next();
      if (answer) {
        found.push(answer);
        continue;
      }
      if (this.#closed) throw new Error(`the connection ended after ${found.length} of ${count} answers`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    return found;
  }

  /** Whether bytes are left that were no answer asked for. */
  get idle(): boolean {
    return this.#received.length === 0;
  }

  close(): void {
    this.#socket.destroy();
  }

  #next(): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = this.#received.toString('latin1', 0, end + 4);
    // 100 Continue is all head.
    const length = head.startsWith('HTTP/1.1 100 ') ? 0 : Number(LENGTH.exec(head)?.[1]);
    if (Number.isNaN(length)) throw new Error(`an answer without a length: ${head}`);
    if (this.#received.length < end + 4 + length) return undefined;
    const body = this.#received.toString('utf8', end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    return { status: Number(head.slice(9, 12)), head, body };
  }
}
