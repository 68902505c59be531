import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { Database } from '../../../pkg/postgres/database.ts';
import type { TestDatabase } from '../../tools/postgres.ts';
import type { Filled } from './fill.ts';
import { POD_ENV, POD_FLAGS } from './pod-flags.ts';

const HERE = new URL('.', import.meta.url).pathname;
const BUNDLES = new URL('../../../.cache/bench-engine', import.meta.url).pathname;

/** Per second; CPU in cores. */
export interface Rates {
  steps: number;
  effects: number;
  rssMb: number;
  cpu: number;
}

const bundles = new Map<string, Promise<string>>();

/** A production build of one entry, made once: one file, minified, without sources to strip. Returns its path. */
export function bundle(entry: string, name: string): Promise<string> {
  const made = bundles.get(name) ?? makeBundle(entry, name);
  bundles.set(name, made);
  return made;
}

async function makeBundle(entry: string, name: string): Promise<string> {
  const outfile = join(BUNDLES, `${name}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    external: ['pg-native'],
    banner: { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}

/** An executor of the product working on a filled workspace. */
export class ProductExecutor {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /**
   * @param real the engine runs on real time: the first run is due at `dueFrom` (epoch ms), what is due within `warmMs` after
   *   it does not count, and `sandbox` is the network; absent: one that answers in process
   */
  static async start(
    urls: Pick<TestDatabase, 'appUrl' | 'executorUrl'>,
    filled: Filled,
    real: { dueFrom?: number; warmMs?: number; sandbox?: { url: string; apiKey: string } | undefined } = {},
  ): Promise<ProductExecutor> {
    const program = await bundle(join(HERE, 'executor.ts'), 'executor');
    const app = new Database({ url: urls.appUrl, max: 1, applicationName: 'bench' });
    const grant = await app.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string; epoch: number }>(`select token, epoch from app.take_claim('workspace', $1, 'bench')`, [
        filled.workspaceId,
      ]),
    );
    await app.close();
    const order = {
      url: urls.executorUrl,
      workspaceId: filled.workspaceId,
      runs: filled.runs,
      shape: filled.shape,
      spacingMs: filled.spacingMs,
      ...real,
      ...grant,
    };
    const child = fork(program, [JSON.stringify(order)], {
      env: { NODE_ENV: 'production', ...POD_ENV, PATH: process.env['PATH'] },
      execArgv: POD_FLAGS,
    });
    await once(child, 'message');
    return new ProductExecutor(child);
  }

  async round(ms: number, warmMs: number): Promise<Rates> {
    this.#child.send({ ms, warmMs });
    const [rates] = (await once(this.#child, 'message')) as [Rates];
    return rates;
  }

  /** Ends it; returns the steps that it counted in all, and of a latency round the sorted ms from due to effect. */
  async stop(): Promise<{ total: number; late: number[] }> {
    this.#child.send('stop');
    const [last] = (await once(this.#child, 'message')) as [{ total: number; late: number[] }];
    return last;
  }
}
