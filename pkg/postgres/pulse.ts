import { every } from '../base/clock.ts';
import { DatabaseSilent } from './database-away.ts';

const TICK_MS = 500;
/** Ticks without a byte from any connection, while something waits, after which the server is asked whether it lives. */
const SILENT_TICKS = 4;

export interface PulseOptions {
  /** Whether an answer is waited for. */
  busy: () => boolean;
  /** Asks on a connection of its own, in bounded time. @throws when there is no answer */
  probe: () => Promise<void>;
  /** Gives up what waits for an answer. */
  giveUp: () => void;
  /** Hears when the server ceases and begins again to answer. */
  onState: (answering: boolean) => void;
}

/**
 * Tells a server that hangs, with its connections open, from one that is slow: the first says nothing on any connection,
 * new ones included. While it is silent everything fails at once instead of waiting, and one probe at a time asks again.
 */
export class Pulse {
  readonly #options: PulseOptions;
  readonly #stop: () => void;
  #heard = 0;
  #seen = 0;
  #silentTicks = 0;
  #silent = false;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#stop = every(TICK_MS, () => this.tick());
  }

  /** Something came from the server. */
  heard(): void {
    this.#heard++;
  }

  /** @throws DatabaseSilent while the server is known not to answer */
  requireAnswers(): void {
    if (this.#silent) throw new DatabaseSilent();
  }

  stop(): void {
    this.#stop();
  }

  /** Looks once; called every half second. */
  async tick(): Promise<void> {
    if (!this.#silent && !this.#isQuiet()) return;
    const answers = await this.#options.probe().then(
      () => true,
      () => false,
    );
    this.#silentTicks = 0;
    if (answers !== this.#silent) return;
    this.#silent = !answers;
    if (!answers) this.#options.giveUp();
    this.#options.onState(answers);
  }

  #isQuiet(): boolean {
    const silent = this.#options.busy() && this.#heard === this.#seen;
    this.#seen = this.#heard;
    this.#silentTicks = silent ? this.#silentTicks + 1 : 0;
    return this.#silentTicks >= SILENT_TICKS;
  }
}
