import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { leadFilter } from '../../../pkg/store/lead-search.ts';
import { stopTestPostgres, testPostgres } from '../../tools/postgres.ts';
import { LEAD_MIXES } from './mixes.ts';
import { SEEDED, seed } from './seed.ts';

const database = await (await testPostgres()).product();
console.log(database.superuserUrl);
const client = new pg.Client({ connectionString: database.superuserUrl, options: '-c search_path=outrider,app,public' });
await client.connect();
await seed(client, { shared: 1_000_000, privates: 100_000, companies: 60_000 });
console.log('seeded');
const user = new pg.Client({ connectionString: database.appUrl, options: '-c search_path=outrider,app,public' });
await user.connect();
const [{ pid }] = (await user.query('select pg_backend_pid() as pid')).rows;
await user.query(`select set_config('app.workspaces', $1, false)`, [SEEDED.workspaceId]).catch(() => undefined);
const ticks = (): number => {
  const parts = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(parts[11]) + Number(parts[12]);
};
void readdirSync;
const src = await user.query(`select prosrc from pg_proc where proname in ('find_leads','may_use')`);
console.log(src.rows.map((r: { prosrc: string }) => r.prosrc).join('\n---\n').slice(0, 6000));
await client.query(`grant all on all tables in schema outrider to outrider_app`).catch(() => undefined);
for (const { name, criteria } of LEAD_MIXES) {
  const run = () => client.query('set role outrider_definer').then(() => client.query(`select count(*) from unnest(app.find_leads($1, $2::jsonb, null, 26)) x`, [SEEDED.workspaceId, JSON.stringify(leadFilter(criteria))]));
  void run;
  const [{ pid: own }] = (await client.query('select pg_backend_pid() as pid')).rows;
  const cpu = (): number => { const parts = readFileSync(`/proc/${own}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(parts[11]) + Number(parts[12])) * 10; };
  await client.query('reset role');
  const one = () => client.query(`select count(*) as n from unnest(app.find_leads($1, $2::jsonb, null, 26)) x`, [SEEDED.workspaceId, JSON.stringify(leadFilter(criteria))]);
  try {
    await client.query(`select set_config('app.platform', 'on', false)`).catch(() => undefined);
    const first = await one();
    const from = cpu(); let best = 1e9;
    for (let i = 0; i < 20; i++) { const a = process.hrtime.bigint(); await one(); best = Math.min(best, Number(process.hrtime.bigint() - a) / 1e6); }
    console.log(name.padEnd(34), 'cpu ms/call', (cpu() - from) / 20, 'best ms', best.toFixed(1), 'rows', first.rows[0].n);
  } catch (e) { console.log(name, String(e)); }
}
ticks();
if (process.env['HOLD']) await new Promise((r) => setTimeout(r, 1_500_000));
await user.end(); await client.end(); await stopTestPostgres();
