import { writeFile } from 'node:fs/promises';
import { fairness } from './fairness.ts';
import { limiterTimes, median } from './limiter.ts';
import { p99At, p99InBursts, perSecond, type Target, target } from './load.ts';
import { sessionBytes } from './sessions.ts';
import { FILLED, type Stage, startStage } from './stage.ts';

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

async function rates(stage: Stage): Promise<Figure[]> {
  const key = await stage.newKey();
  const ours = (method: string, params: object): Promise<Target> => target(stage.server.mcpUrl, method, params, key);
  const tool = (name: string, input: object): object => ({ name, arguments: input });
  const targets: Record<string, Target> = {
    echo: await target(stage.echo.mcpUrl, 'tools/call', tool('echo', { text: 'hello' })),
    read_call: await ours('tools/call', tool('svc_get_campaign', { campaignId: 'campaign-7' })),
    read_filled_call: await ours('tools/call', tool('svc_get_campaign', { campaignId: FILLED })),
    static_call: await ours('tools/call', tool('svc_get_workflow_node_types', {})),
    tools_list: await ours('tools/list', {}),
    sdk_tools_list: await target(stage.sdk.mcpUrl, 'tools/list', {}),
  };
  const wanted = ONLY.length > 0 ? ONLY.filter((name) => name in targets) : Object.keys(targets);
  const measured = new Map(wanted.map((name) => [name, [] as number[]]));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, values] of measured) {
      const value = await perSecond(targets[name] as Target, round === 0 ? 2 : SECONDS);
      if (round > 0) values.push(value);
    }
  }
  const figures = [...measured].map(([name, values]) => ({ name, value: median(values), unit: 'calls/s' }));
  if (ONLY.length > 0) return figures;
  const p99s: number[] = [];
  const inBursts: number[] = [];
  for (let round = 0; round < 3; round++) {
    p99s.push(await p99At(targets['read_call'] as Target, 1_000, SECONDS));
    inBursts.push(await p99InBursts(targets['read_call'] as Target, 1_000, SECONDS));
  }
  figures.push({ name: 'p99_ms_at_1000', value: median(p99s), unit: 'ms' });
  return [...figures, { name: 'p99_ms_in_bursts', value: median(inBursts), unit: 'ms' }];
}

async function refusals(stage: Stage): Promise<Figure[]> {
  const { refused, bare } = await fairness(stage, ROUNDS, SECONDS);
  return [
    { name: 'refused_call', value: refused.perSecond, unit: 'calls/s' },
    { name: 'bare_http', value: bare.perSecond, unit: 'calls/s' },
    { name: 'refused_cpu_us', value: refused.cpuUs, unit: 'us' },
    { name: 'bare_cpu_us', value: bare.cpuUs, unit: 'us' },
  ];
}

async function measure(): Promise<Figure[]> {
  const stage = await startStage();
  try {
    const figures = await rates(stage);
    if (ONLY.length === 0 || ONLY.includes('refused_call')) figures.push(...(await refusals(stage)));
    if (ONLY.length > 0) return figures;
    const limiter = await limiterTimes(stage);
    if (limiter) {
      figures.push({ name: 'limiter_p50_us', value: limiter.limiter, unit: 'us' });
      figures.push({ name: 'bare_evalsha_p50_us', value: limiter.bare, unit: 'us' });
    }
    figures.push({ name: 'session_bytes', value: await sessionBytes(stage), unit: 'bytes' });
    return figures;
  } finally {
    await stage.stop();
  }
}

function print(figures: Figure[]): void {
  const of = (name: string): number => figures.find((figure) => figure.name === name)?.value ?? Number.NaN;
  for (const { name, value, unit } of figures)
    console.log(`${name.padEnd(22)}${value.toFixed(1).padStart(10)} ${unit}`);
  console.log(`read_call / echo      ${(of('read_call') / of('echo')).toFixed(2).padStart(10)} (to reach: 1.5)`);
  console.log(
    `read_filled / echo    ${(of('read_filled_call') / of('echo')).toFixed(2).padStart(10)} (a campaign with content)`,
  );
  console.log(`static_call / echo    ${(of('static_call') / of('echo')).toFixed(2).padStart(10)} (to reach: 2.5)`);
  console.log(
    `tools_list / SDK's    ${(of('tools_list') / of('sdk_tools_list')).toFixed(2).padStart(10)} (to reach: 100)`,
  );
  console.log(`bare / refused call   ${(of('bare_http') / of('refused_call')).toFixed(2).padStart(10)} (at most: 1.3)`);
  console.log(
    `the same by CPU time  ${(of('refused_cpu_us') / of('bare_cpu_us')).toFixed(2).padStart(10)} (at most: 1.3)`,
  );
  console.log(
    `limiter / bare EVALSHA${(of('limiter_p50_us') / of('bare_evalsha_p50_us')).toFixed(2).padStart(10)} (at most: 1.15)`,
  );
}

const figures = await measure();
print(figures);
const out = process.env['OUT'];
if (out) await writeFile(out, `${JSON.stringify(figures, null, 2)}\n`);
