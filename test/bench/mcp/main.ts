import { writeFile } from 'node:fs/promises';
import { FILLED, type Fixture, startFixture } from './bench-fixture.ts';
import { costs, type Measured } from './cost.ts';
import { limiterTimes, median } from './limiter.ts';
import { p99At, p99InBursts, type Target, target } from './load.ts';
import type { ServerProcess } from './processes.ts';
import { sessionBytes } from './sessions.ts';

/**
 * The MCP server against an echo of the SDK's own on Koa, in one run: ratios of it hold, figures of two machines don't
 * compare. `OUT=file` writes `[{name, value, unit}]`; `ROUNDS` and `SECONDS` shorten a run.
 */
const ROUNDS = Number(process.env['ROUNDS'] || 5);
const SECONDS = Number(process.env['SECONDS'] || 4);
/** Names of rates; all figures without. */
const ONLY = (process.env['ONLY'] ?? '').split(',').filter(Boolean);

interface Figure {
  name: string;
  value: number;
  unit: string;
}

async function rates(fixture: Fixture): Promise<Figure[]> {
  const targets = await targetsOf(fixture);
  const wanted = ONLY.length > 0 ? [...targets].filter(([name]) => ONLY.includes(name)) : [...targets];
  const figures = [...(await costs(new Map(wanted), ROUNDS, SECONDS))].flatMap(([name, { perSecond, cpuUs }]) => [
    { name, value: perSecond, unit: 'calls/s' },
    { name: `${name}_cpu_us`, value: cpuUs, unit: 'us' },
  ]);
  const read = targets.get('read_call')?.target;
  if (ONLY.length > 0 || !read) return figures;
  const p99s: number[] = [];
  const inBursts: number[] = [];
  for (let round = 0; round < 3; round++) {
    p99s.push(await p99At(read, 1_000, SECONDS));
    inBursts.push(await p99InBursts(read, 1_000, SECONDS));
  }
  figures.push({ name: 'p99_ms_at_1000', value: median(p99s), unit: 'ms' });
  return [...figures, { name: 'p99_ms_in_bursts', value: median(inBursts), unit: 'ms' }];
}

async function targetsOf({ server, echo, sdk, bare, newKey }: Fixture): Promise<Map<string, Measured>> {
  const key = await newKey();
  const tool = (name: string, input: object): object => ({ name, arguments: input });
  const measured = async (
    at: ServerProcess,
    method: string,
    params: object,
    by?: string,
  ): Promise<{ target: Target; pid: number }> => ({ target: await target(at.mcpUrl, method, params, by), pid: at.pid });
  // A bare 200 is measured with the very requests that are refused.
  const refused = await measured(server, 'tools/call', tool('svc_get_workflow_node_types', {}), await newKey(true));
  return new Map([
    ['echo', await measured(echo, 'tools/call', tool('echo', { text: 'hello' }))],
    ['read_call', await measured(server, 'tools/call', tool('svc_get_campaign', { campaignId: 'campaign-7' }), key)],
    ['read_filled_call', await measured(server, 'tools/call', tool('svc_get_campaign', { campaignId: FILLED }), key)],
    ['static_call', await measured(server, 'tools/call', tool('svc_get_workflow_node_types', {}), key)],
    ['tools_list', await measured(server, 'tools/list', {}, key)],
    ['sdk_tools_list', await measured(sdk, 'tools/list', {})],
    ['refused_call', refused],
    ['bare_koa', { target: { ...refused.target, url: bare.mcpUrl }, pid: bare.pid }],
  ]);
}

async function measure(): Promise<Figure[]> {
  const fixture = await startFixture();
  try {
    const figures = await rates(fixture);
    if (ONLY.length > 0) return figures;
    const limiter = await limiterTimes(fixture);
    if (limiter) {
      figures.push({ name: 'limiter_p50_us', value: limiter.limiter, unit: 'us' });
      figures.push({ name: 'bare_evalsha_p50_us', value: limiter.bare, unit: 'us' });
    }
    figures.push({ name: 'session_bytes', value: await sessionBytes(fixture), unit: 'bytes' });
    return figures;
  } finally {
    await fixture.stop();
  }
}

function print(figures: Figure[]): void {
  const of = (name: string): number => figures.find((figure) => figure.name === name)?.value ?? Number.NaN;
  for (const { name, value, unit } of figures)
    console.log(`${name.padEnd(22)}${value.toFixed(1).padStart(10)} ${unit}`);
  const line = (name: string, value: number, bound: string): void =>
    console.log(`${name.padEnd(22)}${value.toFixed(2).padStart(10)} (${bound})`);
  const faster = (name: string, peer: string, bound: string): void => {
    line(`${name} / ${peer}`, of(name) / of(peer), bound);
    line('the same by CPU time', of(`${peer}_cpu_us`) / of(`${name}_cpu_us`), bound);
  };
  faster('read_call', 'echo', 'to reach: 1.5');
  faster('read_filled_call', 'echo', 'a campaign with content');
  faster('static_call', 'echo', 'to reach: 2.4');
  faster('tools_list', 'sdk_tools_list', 'to reach: 90');
  faster('bare_koa', 'refused_call', 'at most: 1.4');
  line('p99 at 1,000 calls/s', of('p99_ms_at_1000'), 'at most: 15 ms');
  line('limiter / EVALSHA', of('limiter_p50_us') / of('bare_evalsha_p50_us'), 'at most: 1.15');
}

const figures = await measure();
print(figures);
const out = process.env['OUT'];
if (out) await writeFile(out, `${JSON.stringify(figures, null, 2)}\n`);
