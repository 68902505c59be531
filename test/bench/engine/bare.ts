import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { arrayText } from '../../../pkg/postgres/array-text.ts';
import { BACKLOG, duePerStep, type Shape, START, TURN } from './settings.ts';

pg.types.setTypeParser(20, Number);

export interface BareOrder {
  url: string;
  /** Opens the rows of secured tables; null: nothing secures them. */
  token: string | null;
  /** Whose tables it works on. */
  schema: string;
  workspaceId: string;
  shape: Shape;
  runs: number;
  spacingMs: number;
  batch: number;
}

interface Due {
  id: string;
  node: number;
  accountId: number;
  sendId: string | null;
}

/** A run and the send that it waits for. */
interface Asking {
  id: string;
  send: string;
}

/** Its statements on the tables of a schema. */
function statementsOf(schema: string) {
  return {
    claim: `select id, node, account_id as "accountId", send_id as "sendId" from ${schema}.run
  where workspace_id = $1 and due_at <= $2 order by due_at limit $3 for update skip locked`,
    write: `update ${schema}.run r set node = u.node, due_at = u.due, send_id = u.send from unnest($1::uuid[], $2::int[], $3::bigint[], $4::uuid[]) u (id, node, due, send) where r.id = u.id`,
    log: `insert into ${schema}.run_event (workspace_id, run_id, at, node, outcome) select $1, u.id, $2, u.node, 0 from unnest($3::uuid[], $4::int[]) u (id, node)`,
    key: `insert into ${schema}.send_key select $1, 'm:' || u.run || ':' || u.node, u.id from unnest($2::uuid[], $3::uuid[], $4::int[]) u (id, run, node) on conflict do nothing`,
    send: `insert into ${schema}.send select u.id, $1, u.run, u.account, 'claimed', $2 from unnest($3::uuid[], $4::uuid[], $5::int[]) u (id, run, account)`,
    budget: `update ${schema}.budget b set used = used + u.n from (select a, count(*)::int n from unnest($1::int[]) a group by 1 order by 1) u where b.account_id = u.a and used + u.n <= cap`,
    dispatch: `update ${schema}.send set state = 'dispatched', at = $2 where id = any ($1::uuid[]) and state = 'claimed'`,
    settle: `update ${schema}.send set state = 'confirmed', at = $2 where id = any ($1::uuid[]) and state = 'dispatched'`,
    due: `update ${schema}.run r set due_at = $1 from unnest($2::uuid[], $3::uuid[]) u (id, send) where r.id = u.id and r.send_id = u.send`,
    read: `select id, state from ${schema}.send where id = any ($1::uuid[])`,
  };
}

/** The same states as the engine in bare SQL: two connections, batches, three transactions for an effect. */
class BareWorker {
  steps = 0;
  effects = 0;
  readonly #order: BareOrder;
  readonly #sql: ReturnType<typeof statementsOf>;
  #stopped = false;
  #opened = Promise.withResolvers<void>();
  #open = false;

  constructor(order: BareOrder) {
    this.#order = order;
    this.#sql = statementsOf(order.schema);
  }

  /** Lets the loops work, or rest. */
  open(open: boolean): void {
    this.#open = open;
    if (open) this.#opened.resolve();
    else this.#opened = Promise.withResolvers<void>();
  }

  stop(): void {
    this.#stopped = true;
    this.#opened.resolve();
  }

  async loop(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#order.url });
    await client.connect();
    while (!this.#stopped) {
      if (this.#open) await this.#turn(client);
      else await this.#opened.promise;
    }
    await client.end();
  }

  /** As the product's bench clock: as many are due at any moment, however often all have had their turn. */
  #now(): number {
    const { shape, runs, spacingMs } = this.#order;
    const done = Math.floor(this.steps * duePerStep(shape));
    const turns = Math.floor((done + BACKLOG) / runs);
    return START + (done + BACKLOG * (1 + turns)) * spacingMs;
  }

  async #turn(client: pg.Client): Promise<void> {
    const now = this.#now();
    let asking: Asking[] = [];
    await this.#tx(client, async () => {
      asking = await this.#batch(client, now);
    });
    if (asking.length === 0) return;
    const sends = asking.map((one) => one.send);
    await this.#tx(client, () => run(client, this.#sql.dispatch, [sends, now]));
    this.effects += sends.length;
    await this.#tx(client, async () => {
      await run(client, this.#sql.settle, [sends, now]);
      await run(client, this.#sql.due, [now, asking.map((one) => one.id), sends]);
    });
  }

  async #tx(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
    const { token } = this.#order;
    await client.query(token === null ? 'begin' : `begin; select app.enter('${token}')`);
    await work();
    await client.query('commit');
  }

  /** One claim and write-back; returns the runs whose sends it claimed. */
  async #batch(client: pg.Client, now: number): Promise<Asking[]> {
    const { workspaceId, shape, runs, spacingMs, batch } = this.#order;
    const due = (await run(client, this.#sql.claim, [workspaceId, now, batch])).rows as Due[];
    if (due.length === 0) return [];
    const held = due.flatMap((one) => one.sendId ?? []);
    if (held.length > 0) await run(client, this.#sql.read, [held]);
    const turn = TURN[shape];
    const next = due.map((one) => {
      const node = one.node + 1;
      return { ...one, node, old: one.node, send: turn[node % turn.length] === 'view' ? randomUUID() : null };
    });
    const asking = next.flatMap((one) => (one.send === null ? [] : [{ ...one, send: one.send }]));
    if (asking.length > 0) {
      const ids = asking.map((one) => one.send);
      const of = asking.map((one) => one.id);
      await run(client, this.#sql.key, [workspaceId, ids, of, asking.map((one) => one.node)]);
      await run(client, this.#sql.budget, [asking.map((one) => one.accountId)]);
      await run(client, this.#sql.send, [workspaceId, now, ids, of, asking.map((one) => one.accountId)]);
    }
    const ids = next.map((one) => one.id);
    const later = now + runs * spacingMs;
    await run(client, this.#sql.write, [
      ids,
      next.map((one) => one.node),
      next.map((one) => (one.send ? null : later)),
      next.map((one) => one.send),
    ]);
    await run(client, this.#sql.log, [workspaceId, now, ids, next.map((one) => one.old)]);
    this.steps += due.length;
    return asking;
  }
}

function run(client: pg.Client, text: string, values: unknown[]): Promise<pg.QueryResult> {
  // As the product writes them; the client's own way takes longer than the statement.
  const parameters = values.map((value) => (Array.isArray(value) ? arrayText(value) : value));
  return client.query({ name: text.slice(0, 40), text, values: parameters });
}

/** Works in rounds that the bench asks for, and reports the rates per second of each. */
async function main(order: BareOrder): Promise<void> {
  const worker = new BareWorker(order);
  const loops = [worker.loop(), worker.loop()];
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  async function round({ ms, warmMs }: { ms: number; warmMs: number }): Promise<void> {
    worker.open(true);
    await sleep(warmMs);
    const from = { at: process.hrtime.bigint(), steps: worker.steps, effects: worker.effects };
    await sleep(ms);
    const seconds = Number(process.hrtime.bigint() - from.at) / 1e9;
    process.send?.({
      steps: (worker.steps - from.steps) / seconds,
      effects: (worker.effects - from.effects) / seconds,
    });
    worker.open(false);
  }
  process.on('message', (message: { ms: number; warmMs: number } | 'stop') => {
    if (message === 'stop') worker.stop();
    else void round(message);
  });
  process.send?.('ready');
  await Promise.all(loops);
}

main(JSON.parse(process.argv[2] ?? '{}') as BareOrder).then(
  () => process.disconnect(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
