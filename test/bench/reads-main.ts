import { readFileSync } from 'node:fs';
import pg from 'pg';
import { writeTogether } from '../../pkg/postgres/client-stream.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { startPostgres } from '../tools/postgres.ts';
import { fill } from './engine/fill.ts';

const ROUNDS = Number(process.env['ROUNDS'] || 12);
const ROUND_MS = 2_000;
/** Reads under way at a time, and connections that they share. */
const WIDTH = 16;
const PIPES = 4;
const TEXT = 'select id, workflow_id, node_id, state, wait_reason, due_at, facts from run where id = $1';

/** Rows by key per second, and µs of CPU for one: of this process and of the server's. */
interface Measured {
  rate: number;
  client: number;
  server: number;
}
type Read = (id: string) => Promise<unknown>;

/**
 * `make bench-reads`: a read under its scope by our packets (pkg/postgres/read-batch.ts) against pg's own pipelining, in
 * alternating rounds. pg sends a Sync behind each statement, so that a scope takes a transaction of its own around it:
 * three statements in one write.
 */
const postgres = await startPostgres();
const urls = await postgres.product();
const { workspaceId } = await fill(urls.superuserUrl, 'plain', 10_000);
const admin = await connected(urls.superuserUrl);
const { rows } = await admin.query<{ id: string }>('select id from outrider.run limit 2000');
const db = new Database({ url: urls.appUrl, max: 8, applicationName: 'bench-reads', readPipes: PIPES, prepare: true });
const clients = await Promise.all(Array.from({ length: PIPES }, () => connected(urls.appUrl, { pipeline: true })));
let turn = 0;

const ours: Read = (id) => db.read({ kind: 'workspaces', ids: [workspaceId] }, (tx) => tx.row(TEXT, [id]));
const theirs: Read = async (id) => {
  const client = clients[turn++ % PIPES] as pg.Client;
  writeTogether(client);
  const scope = `set_config('app.workspaces', ${pg.escapeLiteral(workspaceId)}, true)`;
  const begun = client.query(`begin read only; select ${scope}, set_config('statement_timeout', '15000', true)`);
  const found = client.query({ name: 'read', text: TEXT, values: [id] });
  const done = client.query('commit');
  await begun;
  const [row] = (await found).rows as unknown[];
  await done;
  return row;
};

for (const read of [ours, theirs]) await measure(read);
const ratios: Record<keyof Measured, number[]> = { rate: [], client: [], server: [] };
for (let round = 0; round < ROUNDS; round++) {
  const order = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
  const measured = new Map<Read, Measured>();
  for (const read of order) measured.set(read, await measure(read));
  const [we, they] = [measured.get(ours), measured.get(theirs)];
  if (!we || !they) continue;
  ratios.rate.push(we.rate / they.rate);
  ratios.client.push(they.client / we.client);
  ratios.server.push(they.server / we.server);
  console.log(`ours ${told(we)}, pg ${told(they)}`);
}
for (const [name, values] of Object.entries(ratios)) console.log(`${name}: ours ${interval(values)} times better`);
await Promise.all([db.close(), admin.end(), ...clients.map((client) => client.end())]);
await postgres.stop();

async function connected(url: string, more: { pipeline?: boolean } = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench-reads', ...more } as pg.ClientConfig);
  await client.connect();
  return client;
}

async function measure(read: Read): Promise<Measured> {
  let count = 0;
  const [own, server, from] = [process.cpuUsage(), await serverMicros(), process.hrtime.bigint()];
  const until = from + BigInt(ROUND_MS) * 1_000_000n;
  const one = async (): Promise<void> => {
    while (process.hrtime.bigint() < until) {
      const row = await read(rows[count++ % rows.length]?.id ?? '');
      if (row === undefined) throw new Error('a run that is there was not found');
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, one));
  const seconds = Number(process.hrtime.bigint() - from) / 1e9;
  const used = process.cpuUsage(own);
  const served = (await serverMicros()) - server;
  return { rate: count / seconds, client: (used.user + used.system) / count, server: served / count };
}

/** µs that the server's processes behind our connections have worked (Linux). */
async function serverMicros(): Promise<number> {
  const found = await admin.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'bench-reads'`,
  );
  const nanos = found.rows.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]));
  return nanos.reduce((sum, one) => sum + one, 0) / 1_000;
}

function told({ rate, client, server }: Measured): string {
  return `${rate.toFixed(0)}/s, ${client.toFixed(0)} + ${server.toFixed(0)} us`;
}

/** Geometric mean with its 90 % interval. */
function interval(values: readonly number[]): string {
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
  const deviation = Math.sqrt(logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (logs.length - 1));
  const half = (1.8 * deviation) / Math.sqrt(logs.length);
  return `${Math.exp(mean).toFixed(2)} (${Math.exp(mean - half).toFixed(2)} .. ${Math.exp(mean + half).toFixed(2)})`;
}
