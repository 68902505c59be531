import pg from 'pg';
import type { TestDatabase } from '../../tools/postgres.ts';
import { BareProgram } from './bare-program.ts';
import { fill } from './fill.ts';
import { ProductExecutor } from './product.ts';
import type { Shape } from './settings.ts';
import type { Table } from './table.ts';

/** Rows of a shape: the product's, the bare program's, and for plain steps that of the bare program without what production needs. */
const ROWS: Record<Shape, { product: string; bare: string; lean?: string }> = {
  plain: { product: 'plain_steps', bare: 'bare_plain', lean: 'bare_lean' },
  mixed: { product: 'mixed_steps', bare: 'bare_mixed' },
  effects: { product: 'effects', bare: 'bare_effects' },
};

export interface Rounds {
  urls: TestDatabase;
  table: Table;
  wanted: (row: string) => boolean;
  shape: Shape;
  runs: number;
  rounds: number;
  /** Of a round, and before it what does not count. */
  ms: number;
  warmMs: number;
  /** Length of one more round of the product at the end; 0 or absent: none. */
  heldMs?: number;
  /** What else is measured in each round. */
  beside?: () => Promise<void>;
}

/**
 * The product and what it is compared with, round by round in turn: a machine whose speed changes within minutes changes it for
 * all of them, and their tables age alike.
 */
export async function inTurn(options: Rounds): Promise<void> {
  const { urls, table, wanted, shape, runs, rounds, ms, warmMs, heldMs = 0, beside } = options;
  const { product: row, bare, lean } = ROWS[shape];
  const product = wanted(row) ? await startProduct(urls, shape, runs) : undefined;
  const programs: [string, BareProgram][] = [];
  for (const [name, isLean] of [
    [bare, false],
    [lean, true],
  ] as const)
    if (name && wanted(name)) programs.push([name, await BareProgram.start(urls, { shape, runs, lean: isLean })]);
  for (let round = 0; round < rounds; round++) {
    await beside?.();
    for (const [name, program] of programs) {
      const rates = await program.round(ms, warmMs);
      table.add(name, shape === 'effects' ? rates.effects : rates.steps, '1/s');
    }
    if (!product) continue;
    const rates = await product.executor.round(ms, warmMs);
    table.add(row, shape === 'effects' ? rates.effects : rates.steps, '1/s');
    table.add(`${row}_rss_mb`, rates.rssMb, 'MB');
    table.add(`${row}_cpu_us`, (rates.cpu * 1e6) / rates.steps, 'us');
  }
  for (const [, program] of programs) await program.stop();
  if (!product) return;
  if (heldMs > 0) table.add(`${row}_held`, (await product.executor.round(heldMs, warmMs)).steps, '1/s');
  const { total } = await product.executor.stop();
  table.check(`${row}: every step counted is in the history`, await historyOf(urls, product.workspaceId), total);
}

async function startProduct(
  urls: TestDatabase,
  shape: Shape,
  runs: number,
): Promise<{ executor: ProductExecutor; workspaceId: string }> {
  const filled = await fill(urls.superuserUrl, shape, runs, {}, { met: shape !== 'plain' });
  return { executor: await ProductExecutor.start(urls, filled), workspaceId: filled.workspaceId };
}

async function historyOf(urls: TestDatabase, workspaceId: string): Promise<number> {
  const client = new pg.Client({ connectionString: urls.superuserUrl });
  await client.connect();
  const { rows } = await client.query(
    `select count(*)::int as steps from outrider.run_event where workspace_id = $1 and kind = 'run.step_done'`,
    [workspaceId],
  );
  await client.end();
  return rows[0].steps;
}
