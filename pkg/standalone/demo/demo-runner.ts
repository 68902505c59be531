import { SystemClock } from '../../base/clock.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Database } from '../../postgres/database.ts';
import type { ClockAuthority } from '../clock-authority.ts';
import type { Connection } from '../connection.ts';
import type { Home } from '../home.ts';
import { DEMO_SPAN_MS, type DemoProgress, runDemo } from './demo.ts';
import { progressLine, summaryTable } from './demo-report.ts';

const LEADS = new URL('../../../docs/examples/leads.csv', import.meta.url).pathname;

export interface DemoRunnerOptions {
  home: Home;
  connection: Connection;
  clock: ClockAuthority;
  db: Database;
  log: Logger;
  /** Writes `connection.json` after the demo's state changed. */
  save: () => Promise<void>;
}

/** Runs the demo at most once at a time and keeps its state in the connection file. */
export class DemoRunner {
  readonly #options: DemoRunnerOptions;
  readonly #real = new SystemClock();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** Product time of the demo reviewer's next look; skip-idle does not jump past it. */
  reviewerDue: number | null = null;
  /** Where skip-idle ends; null without a demo. */
  limit: number | null = null;

  constructor(options: DemoRunnerOptions) {
    this.#options = options;
  }

  /** Starts the demo; the state tells how it ends. */
  start(): Promise<void> {
    const { log } = this.#options;
    this.#running ??= this.#run()
      .catch((error: unknown) => log.error({ err: error }, 'how the demo ended could not be kept'))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** `make demo` on a running home. @throws UserError while one runs */
  startAgain(): Promise<void> {
    if (this.#running)
      return Promise.reject(new UserError('The demo runs already; see demo.state in connection.json.'));
    void this.start();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, connection, db, home } = this.#options;
    const startedAt = clock.now();
    const until = this.#end(startedAt);
    this.limit = until;
    await this.#state('running', null);
    try {
      const summary = await runDemo({
        mcpUrl: connection.mcpUrl,
        runnerSecret: connection.runnerSecret,
        workspaceId: connection.workspaceId,
        userId: connection.userId,
        clock,
        real: this.#real,
        leadsFile: LEADS,
        sandboxUrl: connection.sandboxUrl,
        sandboxApiKey: home.secrets.sandboxApiKey,
        db,
        until: () => until,
        onReviewerDue: (dueAt) => {
          this.reviewerDue = dueAt;
        },
        onProgress: (progress) => show(progress, startedAt, until),
        signal: this.#stop.signal,
      });
      if (this.#stop.signal.aborted) return;
      // The minutes that the demo itself took: from here on the clock is honest.
      if (until <= this.#real.now()) clock.jumpTo(this.#real.now());
      await this.#state('done', summary);
      console.log(`${process.stdout.isTTY ? '\n' : ''}${summaryTable(summary)}`);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      await this.#state('failed', { error: messageOf(error) });
      console.error(`The demo failed: ${messageOf(error)}. Logs: ${home.path('logs')}`);
    } finally {
      this.limit = null;
      this.reviewerDue = null;
    }
  }

  /** A new home starts six weeks ago and meets real time; a later demo runs six weeks on from now (a rehearsal). */
  #end(startedAt: number): number {
    const real = this.#real.now();
    return startedAt < real - 86_400_000 ? real : startedAt + DEMO_SPAN_MS;
  }

  async #state(state: Connection['demo']['state'], summary: unknown): Promise<void> {
    this.#options.connection.demo = { state, summary };
    await this.#options.save();
  }
}

/** A drawn line on a terminal, plain lines otherwise. */
function show(progress: DemoProgress, startedAt: number, until: number): void {
  const line = progressLine(progress, startedAt, until);
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[2K${line}`);
  else console.log(line);
}
