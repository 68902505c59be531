import { writeFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { monotonicMs, SystemClock, sleepReal } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { KubeClient } from '../../../pkg/kube/client.ts';
import type { SpecObject } from '../../../pkg/kube/types.ts';
import { createKubeMetrics } from '../../../pkg/metrics/kube-metrics.ts';
import { setUpCluster } from '../../../pkg/standalone/kube-setup.ts';
import { RESOURCES } from '../../../pkg/tools/resources/kinds.ts';
import { stopTestPostgres, testPostgres } from '../../tools/postgres.ts';
import { benchApi } from './bench-api.ts';
import { type FleetSize, inLanes, makeFleet } from './fleet.ts';
import { bundledOperator, OperatorProcess } from './operator-process.ts';

/**
 * `make bench-operator`: memory, writes at rest, restart and reaction of the operator over a fleet of idle workspaces.
 * SIZE=0.01 makes it a hundredth; OUT=file writes the figures as JSON.
 */
const SCALE = Number(process.env['SIZE'] || 1);
const SIZE: FleetSize = {
  workspaces: Math.ceil(10_000 * SCALE),
  campaigns: Math.ceil(15_000 * SCALE),
  workflows: Math.ceil(15_000 * SCALE),
};
/** Other campaigns that change meanwhile. */
const CHANGES = Math.ceil(1_000 * SCALE);
/** Changes that are timed one after the other while the others are made. */
const PROBES = 100;
const REST_SECONDS = 30;
const NAMESPACE = 'outrider';
const PATIENCE_MS = 3_600_000;
/** Real ms between looks at the first pass: each makes the operator count all its objects. */
const FIRST_LOOK_MS = 3_000;

const program = await bundledOperator();
const postgres = await testPostgres();
const api = await benchApi();
const clock = new SystemClock();
const log = createLogger('bench', 'silent');
const runtime = { clock, random: Math.random, ids: systemIds, log, metrics: createKubeMetrics(new Registry()) };
const client = KubeClient.open({ path: api.kubeconfigPath }, runtime, { qps: 100_000, burst: 100_000 });
let ending: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end().then(() => process.exit(1)));
try {
  const figures = await measure();
  for (const { name, value, unit } of figures) console.log(`${name.padEnd(22)} ${value} ${unit}`);
  const file = process.env['OUT'];
  if (file) writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
} finally {
  await end();
}

/** Nothing that was started stays behind, also after Ctrl-C. */
function end(): Promise<void> {
  ending ??= (async () => {
    await client.close();
    await api.stop();
    await stopTestPostgres();
    await program.remove();
  })();
  return ending;
}

async function measure(): Promise<{ name: string; value: number; unit: string }[]> {
  const { appUrl } = await postgres.product();
  const total = SIZE.workspaces + SIZE.campaigns + SIZE.workflows;
  console.log(
    `${SIZE.workspaces} workspaces, ${SIZE.campaigns} campaigns, ${SIZE.workflows} workflows on the ${api.name}`,
  );
  await setUpCluster(client, NAMESPACE, 'postgres://nobody@127.0.0.1/none');
  const env = { DATABASE_URL: appUrl, KUBECONFIG_PATH: api.kubeconfigPath, OUTRIDER_NAMESPACE: NAMESPACE };
  const making = monotonicMs();
  await makeFleet(client, NAMESPACE, SIZE);
  console.log(`made in ${seconds(making)} s`);

  // The first pass over everything happens once in the life of a fleet: let it run.
  const first = await OperatorProcess.start(program.entry, { ...env, KUBE_QPS: '5000' }, ['--max-semi-space-size=64']);
  const reconciling = monotonicMs();
  await settled(first, total, FIRST_LOOK_MS);
  const firstPass = seconds(reconciling);
  console.log(`first pass in ${firstPass} s`);
  await first.stop();

  const operator = await OperatorProcess.start(program.entry, env);
  const waiting = monotonicMs();
  await settled(operator, total);
  const calm = seconds(waiting);
  console.log(`started again: caches full after ${operator.syncSeconds} s, at rest after ${calm} s`);
  const rest = await atRest(operator);
  const memory = await operator.memory();
  const [heapUsed, heapTotal, external] = await Promise.all(
    ['heap_size_used', 'heap_size_total', 'external_memory'].map(
      async (name) => (await operator.metric(`nodejs_${name}_bytes`)) / 1_048_576,
    ),
  );
  const changes = await reactions();
  const after = await operator.memory();
  await operator.stop();
  const figure = (name: string, value: number, unit: string) => ({ name, value: Number(value.toFixed(3)), unit });
  return [
    figure('rss_mb', memory.now, 'MB'),
    figure('writes_per_s', rest.writes, '1/s'),
    figure('sync_s', operator.syncSeconds, 's'),
    figure('change_p99_s', changes.p99, 's'),
    figure('change_p50_s', changes.p50, 's'),
    figure('rss_peak_mb', after.peak, 'MB'),
    figure('heap_used_mb', heapUsed ?? 0, 'MB'),
    figure('heap_total_mb', heapTotal ?? 0, 'MB'),
    figure('external_mb', external ?? 0, 'MB'),
    figure('lists_at_rest', rest.lists, ''),
    figure('first_pass_s', firstPass, 's'),
    figure('restart_to_rest_s', calm, 's'),
    figure('objects', total, ''),
  ];
}

/** All objects are ready and nothing waits. */
async function settled(operator: OperatorProcess, total: number, lookMs = 500): Promise<void> {
  const until = monotonicMs() + PATIENCE_MS;
  for (let calm = 0; calm < 3; ) {
    if (monotonicMs() > until) throw new Error('the operator does not come to rest');
    await sleepReal(lookMs);
    const ready = await operator.metric('outrider_resources', /ready="true"/);
    const busy =
      (await operator.metric('workqueue_depth')) + (await operator.metric('controller_runtime_active_workers'));
    calm = ready >= total && busy === 0 ? calm + 1 : 0;
  }
}

async function atRest(operator: OperatorProcess): Promise<{ writes: number; lists: number }> {
  const [writes, lists] = [await api.writes(), await operator.metric('outrider_informer_relists_total')];
  await sleepReal(REST_SECONDS * 1_000);
  return {
    writes: ((await api.writes()) - writes) / REST_SECONDS,
    lists: (await operator.metric('outrider_informer_relists_total')) - lists,
  };
}

/** Seconds from a change of one campaign until its status is of that generation, while others change too. */
async function reactions(): Promise<{ p50: number; p99: number }> {
  const taken: number[] = [];
  const change = (index: number): Promise<SpecObject> =>
    client.mergePatch<SpecObject>(
      RESOURCES.Campaign,
      named(index),
      { spec: { goal: `changed ${systemIds.uuid()}` } },
      { fieldManager: 'bench' },
    );
  const probe = async (index: number): Promise<void> => {
    const started = monotonicMs();
    const { metadata } = await change(index);
    for (;;) {
      const now = await client.get<SpecObject>(RESOURCES.Campaign, named(index));
      const { observedGeneration = 0 } = (now.status ?? {}) as { observedGeneration?: number };
      if (observedGeneration >= (metadata.generation ?? 0)) break;
      await sleepReal(5);
    }
    taken.push((monotonicMs() - started) / 1_000);
  };
  const probes = Math.min(PROBES, SIZE.campaigns - CHANGES);
  // The others change evenly while the probes are made, one after the other.
  let done = 0;
  const others = async (index: number): Promise<void> => {
    while (index / CHANGES > (done + 1) / probes) await sleepReal(5);
    await change(probes + index);
  };
  await Promise.all([inLanes(probes, (index) => probe(index).finally(() => done++), 1), inLanes(CHANGES, others, 8)]);
  taken.sort((a, b) => a - b);
  const at = (share: number): number => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function named(index: number): { namespace: string; name: string } {
  return { namespace: NAMESPACE, name: `c${index}` };
}

function seconds(since: number): number {
  return Math.round((monotonicMs() - since) / 100) / 10;
}
