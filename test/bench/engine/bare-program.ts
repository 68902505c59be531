import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Database } from '../../../pkg/postgres/database.ts';
import type { TestDatabase } from '../../tools/postgres.ts';
import type { BareOrder } from './bare.ts';
import { BARE_WORKSPACE, dropBare, fillBare } from './bare-schema.ts';
import { type Shape, SPACING_MS } from './settings.ts';

/** The claim's lifetime (s): longer than all rounds, since nothing renews it. */
const CLAIM_SECONDS = 3_600;

/** The bare program on tables of its own, which age from round to round as the product's do. */
export class BareProgram {
  readonly #child: ChildProcess;
  readonly #drop: () => Promise<void>;

  private constructor(child: ChildProcess, drop: () => Promise<void>) {
    this.#child = child;
    this.#drop = drop;
  }

  /** @param options `lean`: without row-level security and without the index that finds a run's history */
  static async start(urls: TestDatabase, options: { shape: Shape; runs: number; lean: boolean }): Promise<BareProgram> {
    const { shape, runs, lean } = options;
    const schema = lean ? 'bare_lean' : 'bare';
    await fillBare(urls.superuserUrl, { schema, ...options });
    const workspaceId = `${BARE_WORKSPACE}-${schema}`;
    const order: BareOrder = {
      url: urls.executorUrl,
      token: lean ? null : await claimOf(urls, workspaceId),
      schema,
      workspaceId,
      spacingMs: SPACING_MS,
      batch: 1_000,
      shape,
      runs,
    };
    const child = fork(new URL('bare.ts', import.meta.url).pathname, [JSON.stringify(order)]);
    await once(child, 'message');
    return new BareProgram(child, () => dropBare(urls.superuserUrl, schema));
  }

  async round(ms: number, warmMs: number): Promise<{ steps: number; effects: number }> {
    this.#child.send({ ms, warmMs });
    const [rates] = (await once(this.#child, 'message')) as [{ steps: number; effects: number }];
    return rates;
  }

  /** Ends it; nothing of it is left for the server to tidy up. */
  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.send('stop');
    await ended;
    await this.#drop();
  }
}

/** The token of a claim that lasts. */
async function claimOf(urls: TestDatabase, workspaceId: string): Promise<string> {
  const app = new Database({ url: urls.appUrl, max: 1, applicationName: 'bench' });
  const grant = await app.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ token: string }>(`select token from app.take_claim('workspace', $1, 'bench', $2)`, [
      workspaceId,
      CLAIM_SECONDS,
    ]),
  );
  await app.close();
  return grant?.token ?? '';
}
