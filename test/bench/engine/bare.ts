import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { arrayText } from '../../../pkg/postgres/array-text.ts';
import { BACKLOG, duePerStep, type Shape, START, TURN } from './settings.ts';

pg.types.setTypeParser(20, Number);

export interface BareOrder {
  url: string;
  token: string;
  workspaceId: string;
  shape: Shape;
  runs: number;
  spacingMs: number;
  ms: number;
  warmMs: number;
  batch: number;
}

interface Due {
  id: string;
  node: number;
  accountId: number;
  sendId: string | null;
}

const CLAIM = `select id, node, account_id as "accountId", send_id as "sendId" from bare.run
  where workspace_id = $1 and due_at <= $2 order by due_at limit $3 for update skip locked`;
const WRITE = `update bare.run r set node = u.node, due_at = u.due, send_id = u.send from unnest($1::uuid[], $2::int[], $3::bigint[], $4::uuid[]) u (id, node, due, send) where r.id = u.id`;
const LOG = `insert into bare.run_event (workspace_id, run_id, at, node, outcome) select $1, u.id, $2, u.node, 0 from unnest($3::uuid[], $4::int[]) u (id, node)`;
const KEY = `insert into bare.send_key select $1, 'm:' || u.run || ':' || u.node, u.id from unnest($2::uuid[], $3::uuid[], $4::int[]) u (id, run, node) on conflict do nothing`;
const SEND = `insert into bare.send select u.id, $1, u.run, u.account, 'claimed', $2 from unnest($3::uuid[], $4::uuid[], $5::int[]) u (id, run, account)`;
const BUDGET = `update bare.budget b set used = used + u.n from (select a, count(*)::int n from unnest($1::int[]) a group by 1 order by 1) u where b.account_id = u.a and used + u.n <= cap`;
const DISPATCH = `update bare.send set state = 'dispatched', at = $2 where id = any ($1::uuid[]) and state = 'claimed'`;
const SETTLE = `update bare.send set state = 'confirmed', at = $2 where id = any ($1::uuid[]) and state = 'dispatched'`;
const DUE = 'update bare.run set due_at = $2 where send_id = any ($1::uuid[])';
const READ = 'select id, state from bare.send where id = any ($1::uuid[])';

/** The same states as the engine in bare SQL: two connections, batches, three transactions for an effect. */
class BareWorker {
  steps = 0;
  effects = 0;
  readonly #order: BareOrder;
  readonly #stop: () => boolean;

  constructor(order: BareOrder, stop: () => boolean) {
    this.#order = order;
    this.#stop = stop;
  }

  async loop(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#order.url });
    await client.connect();
    while (!this.#stop()) await this.#turn(client);
    await client.end();
  }

  #now(): number {
    return START + (Math.floor(this.steps * duePerStep(this.#order.shape)) + BACKLOG) * this.#order.spacingMs;
  }

  async #turn(client: pg.Client): Promise<void> {
    const now = this.#now();
    let sends: string[] = [];
    await this.#tx(client, async () => {
      sends = await this.#batch(client, now);
    });
    if (sends.length === 0) return;
    await this.#tx(client, () => run(client, DISPATCH, [sends, now]));
    this.effects += sends.length;
    await this.#tx(client, async () => {
      await run(client, SETTLE, [sends, now]);
      await run(client, DUE, [sends, now]);
    });
  }

  async #tx(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
    await client.query(`begin; select app.enter('${this.#order.token}')`);
    await work();
    await client.query('commit');
  }

  /** One claim and write-back; returns the sends that it claimed. */
  async #batch(client: pg.Client, now: number): Promise<string[]> {
    const { workspaceId, shape, runs, spacingMs, batch } = this.#order;
    const due = (await run(client, CLAIM, [workspaceId, now, batch])).rows as Due[];
    if (due.length === 0) return [];
    const held = due.flatMap((one) => one.sendId ?? []);
    if (held.length > 0) await run(client, READ, [held]);
    const turn = TURN[shape];
    const next = due.map((one) => {
      const node = one.node + 1;
      return { ...one, node, old: one.node, send: turn[node % turn.length] === 'view' ? randomUUID() : null };
    });
    const asking = next.filter((one) => one.send !== null);
    if (asking.length > 0) {
      const ids = asking.map((one) => one.send);
      const of = asking.map((one) => one.id);
      await run(client, KEY, [workspaceId, ids, of, asking.map((one) => one.node)]);
      await run(client, BUDGET, [asking.map((one) => one.accountId)]);
      await run(client, SEND, [workspaceId, now, ids, of, asking.map((one) => one.accountId)]);
    }
    const ids = next.map((one) => one.id);
    const later = now + runs * spacingMs;
    await run(client, WRITE, [
      ids,
      next.map((one) => one.node),
      next.map((one) => (one.send ? null : later)),
      next.map((one) => one.send),
    ]);
    await run(client, LOG, [workspaceId, now, ids, next.map((one) => one.old)]);
    this.steps += due.length;
    return asking.flatMap((one) => one.send ?? []);
  }
}

function run(client: pg.Client, text: string, values: unknown[]): Promise<pg.QueryResult> {
  // As the product writes them; the client's own way takes longer than the statement.
  const parameters = values.map((value) => (Array.isArray(value) ? arrayText(value) : value));
  return client.query({ name: text.slice(0, 40), text, values: parameters });
}

/** Runs the order and reports rates per second. */
async function main(order: BareOrder): Promise<void> {
  let ended = false;
  const worker = new BareWorker(order, () => ended);
  const loops = [worker.loop(), worker.loop()];
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  await sleep(order.warmMs);
  const from = { at: process.hrtime.bigint(), steps: worker.steps, effects: worker.effects };
  await sleep(order.ms);
  const seconds = Number(process.hrtime.bigint() - from.at) / 1e9;
  process.send?.({ steps: (worker.steps - from.steps) / seconds, effects: (worker.effects - from.effects) / seconds });
  ended = true;
  await Promise.all(loops);
}

main(JSON.parse(process.argv[2] ?? '{}') as BareOrder).then(
  () => process.disconnect(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
