import pg from 'pg';
import type { TestDatabase, TestPostgres } from '../../tools/postgres.ts';
import { BareProgram } from './bare-program.ts';
import { fill } from './fill.ts';
import { PeerProgram } from './peer-program.ts';
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
  postgres: TestPostgres;
  urls: TestDatabase;
  table: Table;
  wanted: (row: string) => boolean;
  shape: Shape;
  runs: number;
  rounds: number;
  /** Of a round, and before it what does not count. */
  ms: number;
  warmMs: number;
  /** Length of one more round of plain steps at the end; 0: none. */
  heldMs: number;
}

/** Something that is measured in rounds. */
interface Contender {
  round(): Promise<void>;
  end(): Promise<void>;
}

/**
 * The product and what it is compared with, round by round in turn: a machine whose speed changes within minutes changes it for
 * all of them, and their tables age alike. Two stores at a time share the server's memory: pg-boss and the lean variant, which is
 * held to it, are gone before the product's is filled.
 */
export async function inTurn(options: Rounds): Promise<void> {
  const { wanted, shape } = options;
  const { product: row, bare, lean } = ROWS[shape];
  await takeTurns(options, [
    shape === 'plain' && wanted('pgboss') && (() => pgBoss(options)),
    lean !== undefined && wanted(lean) && (() => bareProgram(options, lean, true)),
  ]);
  await takeTurns(options, [
    wanted(bare) && (() => bareProgram(options, bare, false)),
    wanted(row) && (() => product(options, row)),
  ]);
}

async function takeTurns({ rounds }: Rounds, starts: readonly (false | (() => Promise<Contender>))[]): Promise<void> {
  const contenders: Contender[] = [];
  for (const start of starts) if (start) contenders.push(await start());
  for (let round = 0; round < rounds; round++) for (const one of contenders) await one.round();
  for (const one of contenders) await one.end();
}

async function pgBoss({ postgres, table, runs }: Rounds): Promise<Contender> {
  const url = await postgres.database();
  const program = await PeerProgram.start('pgboss', { url, redisPort: 0 }, runs);
  return {
    round: async () => table.add('pgboss', await program.round(), '1/s'),
    end: async () => {
      await program.stop();
      await postgres.drop(url);
    },
  };
}

async function bareProgram(
  { urls, table, shape, runs, ms, warmMs }: Rounds,
  row: string,
  lean: boolean,
): Promise<Contender> {
  const program = await BareProgram.start(urls, { shape, runs, lean });
  return {
    round: async () => {
      const rates = await program.round(ms, warmMs);
      table.add(row, shape === 'effects' ? rates.effects : rates.steps, '1/s');
    },
    end: () => program.stop(),
  };
}

/** Comes last in each round and ends last: what is held for minutes is held alone. */
async function product(options: Rounds, row: string): Promise<Contender> {
  const { urls, table, shape, runs, ms, warmMs, heldMs } = options;
  const filled = await fill(urls.superuserUrl, shape, runs, {}, { met: shape !== 'plain' });
  const executor = await ProductExecutor.start(urls, filled);
  return {
    round: async () => {
      const rates = await executor.round(ms, warmMs);
      table.add(row, shape === 'effects' ? rates.effects : rates.steps, '1/s');
      table.add(`${row}_rss_mb`, rates.rssMb, 'MB');
      table.add(`${row}_cpu_us`, (rates.cpu * 1e6) / rates.steps, 'us');
    },
    end: async () => {
      if (shape === 'plain' && heldMs > 0)
        table.add(`${row}_held`, (await executor.round(heldMs, warmMs)).steps, '1/s');
      const { total } = await executor.stop();
      table.check(`${row}: every step counted is in the history`, await historyOf(urls, filled.workspaceId), total);
    },
  };
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
