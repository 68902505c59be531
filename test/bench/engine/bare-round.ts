import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Database } from '../../../pkg/postgres/database.ts';
import type { TestDatabase } from '../../tools/postgres.ts';
import type { BareOrder } from './bare.ts';
import { BARE_WORKSPACE, fillBare } from './bare-schema.ts';
import { type Shape, SPACING_MS } from './settings.ts';

/** One round of the bare program on fresh tables. */
export async function bareRound(
  urls: TestDatabase,
  options: { shape: Shape; runs: number; lean: boolean; ms: number; warmMs: number },
): Promise<{ steps: number; effects: number }> {
  await fillBare(urls.superuserUrl, options.shape, options.runs, options.lean);
  const app = new Database({ url: urls.appUrl, max: 1, applicationName: 'bench' });
  const grant = await app.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ token: string }>(`select token from app.take_claim('workspace', $1, 'bench', 3600)`, [BARE_WORKSPACE]),
  );
  await app.close();
  const { shape, runs, ms, warmMs } = options;
  const order: BareOrder = {
    url: urls.executorUrl,
    token: grant?.token ?? '',
    workspaceId: BARE_WORKSPACE,
    spacingMs: SPACING_MS,
    batch: 1_000,
    shape,
    runs,
    ms,
    warmMs,
  };
  const child = fork(new URL('bare.ts', import.meta.url).pathname, [JSON.stringify(order)]);
  const [rates] = (await once(child, 'message')) as [{ steps: number; effects: number }];
  await once(child, 'exit');
  return rates;
}
