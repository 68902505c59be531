import { Worker } from 'node:worker_threads';
import { FairQueue } from './fair-queue.ts';
import { ForeignBusy, ForeignOverrun, type Overran } from './overrun.ts';
import type { Answered } from './parse-worker.ts';

/** What one input may cost, and how many there may be. */
export interface ParseLimits {
  /** Workers at most; each is started when it is needed, and ended once it has rested. */
  workers: number;
  /** MB of a worker's heap; what needs more ends the worker, and nothing else. */
  heapMb: number;
  /** Real ms that one input may take. */
  withinMs: number;
  /** Inputs that wait, of all tenants and of one. */
  queued: number;
  queuedOfOne: number;
}

/** Real ms after which a worker that rests gives its memory back. */
const REST_MS = 30_000;
/** Real ms that a worker has to load its program, which is no input's fault. */
const LOAD_MS = 60_000;
/** MB for what is young: small, since it comes on top of the heap. */
const YOUNG_MB = 8;
const STACK_MB = 2;

interface Job {
  input: unknown;
  transfer: readonly ArrayBuffer[];
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * Runs a parser of bytes that strangers chose, in worker threads with limits of memory and time: what it costs ends its worker and
 * never the process, and no tenant has all workers (where there are two or more) or the whole queue.
 *
 * The limit of memory is one of V8's heap. Buffers lie outside of it, so that the caller bounds the input too. And V8 ends a worker at
 * its limit only where JavaScript runs: it gives it 16 MB more for that, and one step that takes more (an array of a million cells
 * that grows) ends the whole process. So a parser in a worker bounds what it builds: the limit is the second line, never the first.
 */
export class ParsePool {
  readonly #program: URL;
  readonly #limits: ParseLimits;
  readonly #queue: FairQueue<Job>;
  readonly #idle: ParseWorker[] = [];
  #started = 0;
  #closed = false;

  /** @param program file of the worker, as `workerFile` names it; it calls `answerInputs` */
  constructor(program: URL, limits: ParseLimits) {
    this.#program = program;
    this.#limits = limits;
    this.#queue = new FairQueue({
      queued: limits.queued,
      queuedOfOne: limits.queuedOfOne,
      underWayOfOne: Math.max(1, limits.workers - 1),
    });
  }

  /**
   * Parses one input.
   * @param transfer buffers of the input that are handed over instead of copied
   * @throws ForeignOverrun when it took too much; ForeignBusy when too much waits; Error with what the parser threw
   */
  parse<T>(tenant: string, input: unknown, transfer: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.#closed) return Promise.reject(new ForeignBusy('the process is stopping'));
    return new Promise<T>((resolve, reject) => {
      const job: Job = { input, transfer, resolve: resolve as Job['resolve'], reject };
      if (!this.#queue.add({ tenant, item: job })) {
        reject(new ForeignBusy('too much waits to be read; try again in a minute'));
        return;
      }
      this.#next();
    });
  }

  /** Ends all workers; what waits is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.drain()) job.reject(new ForeignBusy('the process is stopping'));
    await Promise.all(this.#idle.splice(0).map((worker) => worker.end()));
  }

  /** Bytes of the heaps of resting workers; for tests, which ask what an input left and took. */
  async heapBytes(): Promise<number[]> {
    return Promise.all(this.#idle.map((worker) => worker.heapBytes()));
  }

  #next(): void {
    while (this.#idle.length > 0 || this.#started < this.#limits.workers) {
      const turn = this.#queue.next();
      if (!turn) return;
      const worker = this.#idle.pop() ?? this.#start();
      void this.#work(worker, turn.item).finally(() => {
        this.#queue.done(turn.tenant);
        this.#next();
      });
    }
  }

  #start(): ParseWorker {
    this.#started++;
    return new ParseWorker(this.#program, this.#limits, (worker) => {
      const at = this.#idle.indexOf(worker);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#started--;
    });
  }

  async #work(worker: ParseWorker, job: Job): Promise<void> {
    try {
      job.resolve(await worker.parse(job));
    } catch (error) {
      job.reject(error as Error);
    }
    if (worker.ended) return;
    if (this.#closed) await worker.end();
    else this.#idle.push(worker);
  }
}

/** One thread; it has one input at a time. */
class ParseWorker {
  readonly #worker: Worker;
  readonly #limits: ParseLimits;
  readonly #onEnd: (worker: ParseWorker) => void;
  #asked = 0;
  #waiting: { resolve: (output: unknown) => void; reject: (error: Error) => void } | undefined;
  #overran: Overran = 'crash';
  #resting: NodeJS.Timeout | undefined;
  #late: NodeJS.Timeout | undefined;
  #ready = false;
  ended = false;

  constructor(program: URL, limits: ParseLimits, onEnd: (worker: ParseWorker) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#worker = new Worker(program, {
      // No setting of the process and no secret of its environment is the parser's business.
      env: {},
      argv: [],
      stdin: false,
      resourceLimits: {
        maxOldGenerationSizeMb: limits.heapMb,
        maxYoungGenerationSizeMb: YOUNG_MB,
        stackSizeMb: STACK_MB,
      },
    });
    this.#worker.on('message', (answer: Answered) => this.#answer(answer));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#overran = 'memory';
    });
    this.#worker.on('exit', () => this.#gone());
    this.#worker.unref();
  }

  async parse({ input, transfer }: Job): Promise<unknown> {
    clearTimeout(this.#resting);
    this.#worker.ref();
    this.#endIn(this.#ready ? this.#limits.withinMs : LOAD_MS);
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting = { resolve, reject };
        this.#worker.postMessage({ id: ++this.#asked, input }, [...transfer]);
      });
    } finally {
      clearTimeout(this.#late);
      this.#waiting = undefined;
      this.#worker.unref();
      if (!this.ended) this.#resting = setTimeout(() => void this.end(), REST_MS).unref();
    }
  }

  async heapBytes(): Promise<number> {
    return (await this.#worker.getHeapStatistics()).used_heap_size;
  }

  async end(): Promise<void> {
    this.#gone();
    await this.#worker.terminate();
  }

  #endIn(ms: number): void {
    clearTimeout(this.#late);
    this.#late = setTimeout(() => {
      this.#overran = 'time';
      void this.#worker.terminate();
    }, ms);
  }

  #answer(answer: Answered): void {
    if ('ready' in answer) {
      this.#ready = true;
      if (this.#waiting) this.#endIn(this.#limits.withinMs);
      return;
    }
    if (answer.id !== this.#asked) return;
    if ('output' in answer) this.#waiting?.resolve(answer.output);
    else this.#waiting?.reject(new Error(answer.failed));
  }

  #gone(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.#resting);
    this.#onEnd(this);
    this.#waiting?.reject(new ForeignOverrun(this.#overran));
  }
}
