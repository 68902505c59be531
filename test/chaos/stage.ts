import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../cmd/sandbox/sandbox.ts';
import { sleepReal } from '../../pkg/base/clock.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { LEASE } from '../../pkg/engine/lease/claim-keeper.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { ClockAuthority } from '../../pkg/standalone/clock-authority.ts';
import { IdleSkipper } from '../../pkg/standalone/idle-skipper.ts';
import { nextDue } from '../../pkg/standalone/next-due.ts';
import { patience } from '../tools/patience.ts';
import { testPostgres } from '../tools/postgres.ts';
import { type ExecutorBuild, executorBuild } from './executor-build.ts';
import type { FaultTrace } from './fault-trace.ts';
import { SEED } from './seed.ts';

const { PATH: path = '' } = process.env;
/** Key of the sandbox and of its services. */
export const API_KEY = 'chaos-key';

/** What the sandbox performed. */
export interface Received {
  seq: number;
  at: string;
  accountId: string;
  kind: string;
  target: string;
  idempotencyKey: string | null;
  text: string | null;
}

/** Real processes around a real database and the real sandbox; the supervisor hands out claims and restarts without back-off. */
export class Stage {
  readonly app: Database;
  readonly clock: ClockAuthority;
  readonly sandbox: Sandbox;
  /** Connection string that executors get. */
  executorUrl: string;
  readonly #folder: string;
  readonly #build: ExecutorBuild;
  readonly #children = new Set<ChildProcess>();
  readonly output: string[] = [];
  /** Further settings of executors. */
  executorEnv: Record<string, string> = {};
  /** Counts the points that executors pass; absent: nobody counts. */
  trace: FaultTrace | undefined;
  /** Lifetime of claims on the database's clock, whole seconds; executors renew and fence in proportion. */
  leaseSeconds = LEASE.ttlSeconds;
  /** Address that executors are given for the sandbox. */
  providerUrl: string;
  /** Executors live on the machine's clock, as in a cluster; the stage's own must neither jump nor run faster. */
  machineTime = false;
  /** Hands the claim that one executor has to every other one too: all believe in it. */
  shareClaims = false;
  readonly #granted = new Map<string, { token: string; epoch: number }>();

  private constructor(parts: {
    app: Database;
    clock: ClockAuthority;
    sandbox: Sandbox;
    executorUrl: string;
    folder: string;
    build: ExecutorBuild;
  }) {
    this.app = parts.app;
    this.clock = parts.clock;
    this.sandbox = parts.sandbox;
    this.providerUrl = parts.sandbox.url;
    this.executorUrl = parts.executorUrl;
    this.#folder = parts.folder;
    this.#build = parts.build;
  }

  /**
   * @param own connection strings of a database of its own; absent: one of the shared server
   * @param seed of the sandbox's faults
   */
  static async open(own?: { appUrl: string; executorUrl: string }, seed = SEED): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'outrider-chaos-'));
    await chmod(folder, 0o755);
    const urls = own ?? (await (await testPostgres()).product());
    const app = new Database({ url: urls.appUrl, max: 6, applicationName: 'chaos' });
    const clock = await ClockAuthority.open(join(folder, 'clock.json'));
    const sandbox = await startSandbox({ clock, home: join(folder, 'sandbox'), seed, apiKey: API_KEY });
    const build = await executorBuild();
    const stage = new Stage({ app, clock, sandbox, executorUrl: urls.executorUrl, folder, build });
    // People of random names: none of them is connected by chance, so that a count is a count.
    await stage.steer('POST', 'population', { connectedRate: 0 });
    return stage;
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await this.sandbox.stop();
    await this.clock.close();
    await this.app.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /**
   * Starts an executor process; `holder` is its Pod's uid (the same one may claim again at once).
   * @param options `faultPoint`: where it is struck; `after`: what it asks for is answered only then
   */
  executor(
    duty: { workspace: string } | { accounts: true },
    holder: string,
    options: { faultPoint?: string; after?: Promise<unknown> } = {},
  ): ChildProcess {
    const { faultPoint, after } = options;
    const child = spawn(process.execPath, [this.#build.entry], {
      env: {
        PATH: path,
        ...this.#build.env,
        NODE_ENV: 'test',
        LOG_LEVEL: 'warn',
        DATABASE_URL: this.executorUrl,
        ...(this.machineTime ? {} : { OUTRIDER_CLOCK: this.clock.address }),
        SANDBOX_URL: this.providerUrl,
        SANDBOX_API_KEY: API_KEY,
        ...this.executorEnv,
        POD_NAME: holder,
        OUTRIDER_LEASE_SCALE: String(this.leaseSeconds / LEASE.ttlSeconds),
        ...(this.trace ? { OUTRIDER_FAULT_TRACE: '1' } : {}),
        ...(faultPoint ? { OUTRIDER_FAULT_POINT: faultPoint } : {}),
        ...('workspace' in duty ? { OUTRIDER_WORKSPACE: duty.workspace } : { OUTRIDER_ROLE: 'accounts' }),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    });
    this.#children.add(child);
    this.trace?.watch(child);
    child.once('exit', () => this.#children.delete(child));
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.output.push(chunk.toString()));
    let asked = 0;
    child.on('message', (message) => {
      const request = message as Request;
      if (request.type !== 'claim' && request.type !== 'due-accounts') return;
      asked = request.id;
      const answered = async (): Promise<void> => {
        await after;
        // Who waited long has asked again; a second answer would take the claim from the first.
        if (child.connected && request.id === asked) await this.#answer(child, holder, request);
      };
      answered().catch(() => {
        // The database is away: the executor asks again.
        if (child.connected) child.send({ type: 'refused', id: request.id, accountIds: [] }, () => undefined);
      });
    });
    return child;
  }

  /** An executor that is started again whenever it ends by itself, as its Pod's restart policy does, without back-off. */
  supervise(duty: { workspace: string } | { accounts: true }, holder: string): Supervised {
    let stopped = false;
    let child = this.executor(duty, holder);
    const watch = (): void => {
      child.once('exit', () => {
        if (stopped) return;
        child = this.executor(duty, holder);
        watch();
      });
    };
    watch();
    return {
      kill: (signal) => child.kill(signal),
      stop: async (signal = 'SIGTERM') => {
        stopped = true;
        await kill(child, signal);
      },
    };
  }

  async #answer(child: ChildProcess, holder: string, request: Request): Promise<void> {
    const answer = await this.app.tx({ kind: 'platform' }, async (tx) => {
      if (request.type === 'due-accounts') {
        const rows = await tx.rows<{ id: string }>(
          'select account_id as id from account_wake where due_at <= $1 limit 50',
          [this.clock.now()],
        );
        return { type: 'accounts', id: request.id, accountIds: rows.map((row) => row.id) };
      }
      const shared = this.shareClaims ? this.#granted.get(`${request.kind}/${request.key}`) : undefined;
      if (shared) return { type: 'claimed', id: request.id, ...shared };
      const grant = await tx.row<{ token: string; epoch: number }>(
        'select token, epoch from app.take_claim($1, $2, $3, $4)',
        [request.kind, request.key, holder, this.leaseSeconds],
      );
      if (grant) this.#granted.set(`${request.kind}/${request.key}`, grant);
      return grant ? { type: 'claimed', id: request.id, ...grant } : { type: 'refused', id: request.id };
    });
    if (child.connected) child.send(answer, () => undefined);
  }

  /** Jumps over idle time from now on; unlike a fixed speed it can't outrun work on a slow machine. */
  async skipIdle(): Promise<IdleSkipper> {
    const skipper = new IdleSkipper({
      clock: this.clock,
      nextDue: () => nextDue(this.app, this.sandbox.url, API_KEY),
      limit: () => null,
      log: createLogger('chaos', 'silent'),
    });
    await this.clock.setSkipIdle(true);
    skipper.start();
    return skipper;
  }

  /** Calls a handle of the sandbox. */
  async steer(method: 'GET' | 'POST', name: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.sandbox.url}/_sandbox/${name}`, {
      method,
      headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`sandbox: ${await response.text()}`);
    return response.json();
  }

  received(): Promise<Received[]> {
    return this.steer('GET', 'received') as Promise<Received[]>;
  }

  query<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.app.tx({ kind: 'platform' }, (tx) => tx.rows<T>(text, values));
  }

  /** Waits until something is there, and returns it. */
  async untilFound<T>(what: string, find: () => Promise<T | undefined>, limitMs?: number): Promise<T> {
    const found: T[] = [];
    const look = async (): Promise<boolean> => {
      const one = await find();
      if (one !== undefined) found.push(one);
      return one !== undefined;
    };
    await this.until(what, look, limitMs);
    return found[0] as T;
  }

  /** Waits for a condition in the world (real time, bounded). */
  async until(what: string, done: () => Promise<boolean>, limitMs = 120_000): Promise<void> {
    for (let waited = 0; waited < limitMs * patience(); waited += 20) {
      if (await done()) return;
      await sleepReal(20);
    }
    console.log(
      await this.query('select * from send_freeze'),
      await this.query('select * from restore_guard'),
      await this.query('select * from account_guard'),
      await this.query(
        'select state, wait_reason, node_id, count(*), min(due_at) as first, max(due_at) as last, $1::bigint as now from run group by 1, 2, 3',
        [this.clock.now()],
      ),
      await this.query('select * from claim'),
    );
    throw new Error(`never: ${what}\n${this.output.slice(-10).join('')}`);
  }
}

/** A process under the supervisor. */
export interface Supervised {
  kill(signal: NodeJS.Signals): void;
  /** Ends it for good. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface Request {
  type: 'claim' | 'due-accounts';
  id: number;
  kind: string;
  key: string;
}

/** Kills a process and waits until it is gone. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await gone;
}

/** Actions that a person received more than once (same account, kind, person and text). */
export function doubles(received: readonly Received[]): string[] {
  const counts = new Map<string, number>();
  for (const one of received) {
    const key = `${one.accountId} ${one.kind} ${one.target} ${one.text ?? ''}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
}
