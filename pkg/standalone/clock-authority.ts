import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type Clock, every, monotonicMs, SystemClock, sleepReal } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import type { ClockRecord } from '../base/product-clock.ts';

/** A hold keeps accelerated time from passing for at most this long (real ms), so that a lost client can't stop time. */
const HOLD_LIMIT_MS = 2_000;

/** Product time may be ahead by this much before it counts (ms): no two readings are of the same moment. */
const AHEAD_MS = 60_000;

const storedClock = z.object({
  product: z.number(),
  real: z.number(),
  speed: z.number(),
  skipIdle: z.boolean(),
  rehearsal: z.boolean(),
});

/** What `outrider clock` shows. */
export interface ClockState {
  /** Epoch ms UTC. */
  product: number;
  speed: number;
  skipIdle: boolean;
  /** True once product time has run ahead of real time; such a home refuses real provider accounts. */
  rehearsal: boolean;
}

/**
 * The one writer of product time in standalone; every other process follows it over loopback. Time never runs
 * backwards, survives restarts, and waits (when it runs faster than real time) while anybody holds it.
 */
export class ClockAuthority implements Clock {
  readonly #file: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #holds = new Map<string, number>();
  readonly #real = new SystemClock();
  #record: ClockRecord;
  #speed: number;
  #skipIdle: boolean;
  #rehearsal: boolean;
  #onRehearsal: () => void = () => undefined;
  #stopTicking: () => void = () => undefined;
  #port = 0;
  #floor = 0;
  #saving: Promise<unknown> = Promise.resolve();
  #released = Promise.withResolvers<void>();

  private constructor(file: string, stored: z.infer<typeof storedClock> | undefined) {
    this.#file = file;
    const real = this.#real.now();
    this.#speed = stored?.speed ?? 1;
    this.#skipIdle = stored?.skipIdle ?? false;
    this.#rehearsal = stored?.rehearsal ?? false;
    // While the home was stopped, time passed at real speed at most, and never backwards.
    const start = stored ? stored.product + Math.max(0, real - stored.real) : real;
    this.#floor = start;
    this.#record = { product: start, mono: monotonicMs(), speed: this.#speed };
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Opens the clock of a home, listening on a free loopback port. */
  static async open(file: string): Promise<ClockAuthority> {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const stored = text === undefined ? undefined : storedClock.parse(JSON.parse(text));
    const authority = new ClockAuthority(file, stored);
    await authority.#listen();
    await authority.save();
    authority.#stopTicking = every(500, () => authority.#tick());
    return authority;
  }

  /** `host:port` for OUTRIDER_CLOCK. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  now(): number {
    const value = Math.floor(this.#record.product + (monotonicMs() - this.#record.mono) * this.#record.speed);
    this.#floor = Math.max(this.#floor, value);
    return this.#floor;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const target = this.now() + ms;
    while (this.now() < target) await sleepReal(20, signal);
  }

  state(): ClockState {
    return { product: this.now(), speed: this.#speed, skipIdle: this.#skipIdle, rehearsal: this.#rehearsal };
  }

  /** Calls `tell` once the clock has run ahead of real time, at once when it did before. */
  whenRehearsal(tell: () => void): void {
    this.#onRehearsal = tell;
    if (this.#rehearsal) tell();
  }

  /** Whether a change may let product time run ahead of real time (epoch ms). */
  wouldRunAhead(change: {
    speed?: number | undefined;
    advanceMs?: number | undefined;
    skipIdle?: boolean | undefined;
  }): boolean {
    const jump = this.now() + (change.advanceMs ?? 0) > this.#real.now() + AHEAD_MS;
    return jump || (change.speed ?? 0) > 1 || change.skipIdle === true;
  }

  /** Whether somebody's effect or wake is under way. */
  get held(): boolean {
    const mono = monotonicMs();
    for (const [id, since] of this.#holds) if (mono - since > HOLD_LIMIT_MS) this.#holds.delete(id);
    return this.#holds.size > 0;
  }

  /** Resolves when a hold ends, or soon: one that was lost tells nobody. */
  async free(): Promise<void> {
    const local = new AbortController();
    await Promise.race([this.#released.promise, sleepReal(50, local.signal).catch(() => undefined)]);
    local.abort(new Error('free'));
  }

  /** Sets the speed (product seconds per real second); 1 is real time. */
  async setSpeed(speed: number): Promise<void> {
    if (!(speed >= 0 && speed <= 1_000_000)) throw new UserError('--speed must be between 0 and 1000000.');
    this.#speed = speed;
    this.#publish();
    await this.save();
  }

  /** Jumps forward by `ms` of product time. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new UserError('The clock never runs backwards: --advance takes a positive duration.');
    this.jumpTo(this.now() + ms);
    await this.save();
  }

  /** Jumps to a moment; an earlier one changes nothing. */
  jumpTo(product: number): void {
    this.#floor = Math.max(this.#floor, product);
    this.#publish(Math.max(product, this.now()));
  }

  /** Sets the start of a new home in the past; only before anything was recorded. */
  async startAt(product: number): Promise<void> {
    this.#floor = product;
    this.#record = { product, mono: monotonicMs(), speed: this.#record.speed };
    this.#publish(product);
    await this.save();
  }

  async setSkipIdle(on: boolean): Promise<void> {
    this.#skipIdle = on;
    await this.save();
  }

  /** Writes the state; saves run one after the other, so that a reader never sees half of one. */
  save(): Promise<void> {
    const run = this.#saving.then(() => this.#write());
    this.#saving = run.catch(() => undefined);
    return run;
  }

  async #write(): Promise<void> {
    this.#noticeAhead();
    const state = { ...this.state(), real: this.#real.now() };
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(`${this.#file}.new`, JSON.stringify(state), { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }

  async close(): Promise<void> {
    this.#stopTicking();
    await this.save();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #tick(): Promise<void> {
    this.#publish();
    await this.save();
  }

  /** From the first moment ahead of real time the home is a rehearsal, for ever. */
  #noticeAhead(): void {
    if (this.#rehearsal || this.now() <= this.#real.now() + AHEAD_MS) return;
    this.#rehearsal = true;
    this.#onRehearsal();
  }

  #publish(product = this.now()): void {
    const speed = this.#speed !== 1 && this.held ? 0 : this.#speed;
    this.#record = { product, mono: monotonicMs(), speed };
    const line = `${JSON.stringify(this.#record)}\n`;
    for (const socket of this.#sockets) socket.write(line);
    this.#noticeAhead();
  }

  #listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        this.#port = address && typeof address === 'object' ? address.port : 0;
        resolve();
      });
    });
  }

  #serve(socket: Socket): void {
    const name = `${socket.remotePort}`;
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.write(`${JSON.stringify(this.#record)}\n`);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#releaseAll(`${name}/`);
    });
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => this.#command(`${name}/`, line, socket));
    // readline repeats the socket's error; unheard it would end the process.
    lines.on('error', () => socket.destroy());
  }

  #command(prefix: string, line: string, socket: Socket): void {
    const [verb, id] = line.split(' ');
    if (verb === 'hold' && this.#holds.size < 1_000) {
      this.#holds.set(prefix + id, monotonicMs());
      if (this.#speed !== 1) this.#publish();
      socket.write(`ack ${id}\n`);
      return;
    }
    if (verb !== 'release' || !this.#holds.delete(prefix + id)) return;
    this.#tellReleased();
    if (this.#speed !== 1) this.#publish();
  }

  #tellReleased(): void {
    const released = this.#released;
    this.#released = Promise.withResolvers<void>();
    released.resolve();
  }

  #releaseAll(prefix: string): void {
    for (const id of this.#holds.keys()) if (id.startsWith(prefix)) this.#holds.delete(id);
    if (this.#speed !== 1) this.#publish();
  }
}
