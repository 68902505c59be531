import type pg from 'pg';
import { monotonicMs } from '../base/clock.ts';
import { cutOff, streamOf } from './client-stream.ts';
import { OwnClient } from './own-client.ts';
import { type Found, type Read, ReadBatch, type ReadScope, submitReads } from './read-batch.ts';

/** Milliseconds after which what runs in a pipe counts as slow, and nothing is sent behind it. */
const SLOW_MS = 20;
/** Statements that wait in one pipe at most, and that go out together at most. */
const MAX_DEPTH = 16;
const MAX_BATCH = 8;

interface Pipe {
  client: pg.Client;
  inFlight: number;
  /** Monotonic ms at which the batch that runs now was sent or came to the front. */
  frontSince: number;
}

/**
 * A few connections that many reads share: those of one turn of the event loop leave in one packet (see ReadBatch), and
 * batches are sent one behind the other without waiting. What that is worth against pg's own pipelining stands at ReadBatch.
 */
export class ReadPipes {
  readonly #config: pg.ClientConfig;
  readonly #size: number;
  readonly #heard: () => void;
  readonly #pipes = new Set<Pipe>();
  /** Kept statements that were not slow when they ran last: only they may share a connection, for others wait behind. */
  readonly #quick = new Set<string>();
  /** The batch that is gathered in this turn. */
  #gathering: Read[] | undefined;
  #connecting = 0;
  #closed = false;

  /** @param heard called with whatever comes from the server */
  constructor(config: pg.ClientConfig, size: number, heard: () => void) {
    this.#config = config;
    this.#size = size;
    this.#heard = heard;
  }

  /** @returns undefined for what may be slow, and when every pipe is: then a connection of its own is better */
  run(statement: Pick<Read, 'text' | 'values' | 'name'>, scope: ReadScope): Promise<Found> | undefined {
    const batch = statement.name !== undefined && this.#quick.has(statement.name) ? this.#gathered() : undefined;
    if (!batch) return undefined;
    return new Promise((resolve, reject) => {
      batch.push({ ...statement, scope, resolve, reject });
    });
  }

  /** Tells how long a kept statement took. */
  took(name: string, ms: number): void {
    if (ms > SLOW_MS) this.#quick.delete(name);
    else this.#quick.add(name);
  }

  /** Statements that wait for their answer. */
  get inFlight(): number {
    let sum = 0;
    for (const pipe of this.#pipes) sum += pipe.inFlight;
    return sum;
  }

  /** Fails what waits for an answer. */
  giveUp(): void {
    for (const pipe of this.#pipes) {
      if (pipe.inFlight === 0) continue;
      this.#pipes.delete(pipe);
      cutOff(pipe.client);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pipes].map((pipe) => pipe.client.end().catch(() => undefined)));
  }

  /** The batch of this turn, which leaves when the turn is over. */
  #gathered(): Read[] | undefined {
    if (this.#gathering && this.#gathering.length < MAX_BATCH) return this.#gathering;
    const pipe = this.#best();
    if (!pipe) return undefined;
    const batch: Read[] = [];
    this.#gathering = batch;
    // Counted before it leaves, so that the next batch of this turn takes another pipe.
    pipe.inFlight += MAX_BATCH;
    setImmediate(() => {
      if (this.#gathering === batch) this.#gathering = undefined;
      pipe.inFlight -= MAX_BATCH;
      this.#send(pipe, batch);
    });
    return batch;
  }

  #send(pipe: Pipe, reads: readonly Read[]): void {
    if (pipe.inFlight === 0) pipe.frontSince = monotonicMs();
    pipe.inFlight += reads.length;
    const ended = (broken: boolean): void => {
      // Its socket may tell later that it is closed.
      if (broken) this.#pipes.delete(pipe);
      const now = monotonicMs();
      const ms = now - pipe.frontSince;
      pipe.inFlight -= reads.length;
      pipe.frontSince = now;
      for (const { name } of reads) if (name !== undefined) this.took(name, ms);
    };
    const sendAgain = (again: readonly Read[]): void => this.#send(pipe, again);
    submitReads(pipe.client, new ReadBatch(reads, { sendAgain, ended }));
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
    const client = new OwnClient({ ...this.#config, pipeline: true } as pg.ClientConfig);
    const pipe: Pipe = { client, inFlight: 0, frontSince: 0 };
    const gone = (): void => void this.#pipes.delete(pipe);
    client.on('error', gone);
    client.on('end', gone);
    try {
      await client.connect();
      streamOf(client).on('data', this.#heard);
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
