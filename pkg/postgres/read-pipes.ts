import pg from 'pg';
import { monotonicMs } from '../base/clock.ts';
import { prepareScopedReads, type ReadScope, scopedRead } from './scoped-read.ts';

/** Milliseconds after which what runs in a pipe counts as slow, and nothing is sent behind it. */
const SLOW_MS = 20;
/** Statements that wait in one pipe at most. */
const MAX_DEPTH = 16;

/** Parts of pg's client that its types leave out. */
interface Corkable {
  connection: { stream: { cork(): void; uncork(): void } };
}

interface Pipe {
  client: pg.Client;
  inFlight: number;
  /** Monotonic ms at which the statement that runs now was sent or came to the front. */
  frontSince: number;
  corked: boolean;
}

/**
 * A few connections that many reads share: statements are sent one behind the other without waiting, and those of one
 * turn of the event loop leave in one packet. Each is a transaction of its own, so one that fails fails alone.
 */
export class ReadPipes {
  readonly #config: pg.ClientConfig;
  readonly #size: number;
  readonly #pipes = new Set<Pipe>();
  #connecting = 0;
  #closed = false;

  constructor(config: pg.ClientConfig, size: number) {
    this.#config = config;
    this.#size = size;
  }

  /** @returns undefined when every pipe is busy with something slow: then a connection of its own is better */
  run(config: pg.QueryConfig, scope: ReadScope): Promise<pg.QueryResult> | undefined {
    const pipe = this.#best();
    if (!pipe) return undefined;
    if (pipe.inFlight++ === 0) pipe.frontSince = monotonicMs();
    cork(pipe);
    return scopedRead(pipe.client, config, scope).finally(() => {
      pipe.inFlight--;
      pipe.frontSince = monotonicMs();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pipes].map((pipe) => pipe.client.end().catch(() => undefined)));
  }

  /** The pipe with the least before it; a new one is opened aside while others are busy. */
  #best(): Pipe | undefined {
    const now = monotonicMs();
    let best: Pipe | undefined;
    for (const pipe of this.#pipes) {
      if (pipe.inFlight === 0) return pipe;
      if (pipe.inFlight >= MAX_DEPTH || now - pipe.frontSince > SLOW_MS) continue;
      if (!best || pipe.inFlight < best.inFlight) best = pipe;
    }
    if (this.#pipes.size + this.#connecting < this.#size && !this.#closed) void this.#open();
    return best;
  }

  async #open(): Promise<void> {
    this.#connecting++;
    const client = new pg.Client({ ...this.#config, pipeline: true } as pg.ClientConfig);
    const pipe: Pipe = { client, inFlight: 0, frontSince: 0, corked: false };
    const gone = (): void => void this.#pipes.delete(pipe);
    client.on('error', gone);
    client.on('end', gone);
    try {
      await client.connect();
      await prepareScopedReads(client);
      if (this.#closed) await client.end();
      else this.#pipes.add(pipe);
    } catch {
      // The connection that serves instead tells what is wrong.
      await client.end().catch(() => undefined);
    } finally {
      this.#connecting--;
    }
  }
}

function cork(pipe: Pipe): void {
  if (pipe.corked) return;
  const { stream } = (pipe.client as unknown as Corkable).connection;
  pipe.corked = true;
  stream.cork();
  setImmediate(() => {
    pipe.corked = false;
    stream.uncork();
  });
}
