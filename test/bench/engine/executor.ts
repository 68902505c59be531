import { Registry } from 'prom-client';
import { SystemClock, sleepReal } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { openProductClock } from '../../../pkg/base/product-clock.ts';
import { noFaults } from '../../../pkg/engine/fault-points.ts';
import { LeaseKeeper } from '../../../pkg/engine/lease/lease-keeper.ts';
import { KnownFor } from '../../../pkg/engine/lookups/known-for.ts';
import { WorkspaceEngine } from '../../../pkg/engine/loop/workspace-engine.ts';
import { createExecutorMetrics } from '../../../pkg/metrics/executor-metrics.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { createNetworkProviders } from '../../../pkg/providers/network/network-providers.ts';
import { BenchClock } from './bench-clock.ts';
import { InstantNetwork } from './instant-network.ts';
import type { Shape } from './settings.ts';

/** What the bench tells this process, once, on its command line. */
interface Order {
  url: string;
  workspaceId: string;
  runs: number;
  shape: Shape;
  token: string;
  epoch: number;
  spacingMs: number;
  /** Latency round: real time; the first run is due then (epoch ms) and each next one `spacingMs` later. */
  dueFrom?: number;
  /** Ms after that in which a process that has just begun compiles what it needs: what is due then does not count. */
  warmMs?: number;
  /** The sandbox as the network; absent: one that answers in process. */
  sandbox?: { url: string; apiKey: string };
}

/** The engine of one workspace in a process of its own, as `cmd/executor` runs it, on the bench's clock and network. */
async function main(order: Order): Promise<void> {
  const db = new Database({ url: order.url, max: 2, applicationName: 'bench-executor', prepare: true, pipeline: true });
  const claim = new LeaseKeeper(db, order.workspaceId, order);
  claim.start();
  const metrics = createExecutorMetrics(new Registry());
  let steps = 0;
  const inc = metrics.steps.inc.bind(metrics.steps);
  metrics.steps.inc = ((labels: never, value?: number) => {
    steps += value ?? 1;
    inc(labels, value);
  }) as typeof metrics.steps.inc;
  const network = new InstantNetwork();
  const late: number[] = [];
  if (order.dueFrom !== undefined) {
    const real = new SystemClock();
    const from = order.dueFrom;
    // The first action of each person: its due time is known, that of the later ones depends on it.
    const seen = new Set<string>();
    network.onAction = (publicId) => {
      if (seen.has(publicId)) return;
      seen.add(publicId);
      const after = Number(publicId.slice(2)) * order.spacingMs;
      if (after > (order.warmMs ?? 0)) late.push(real.now() - from - after);
    };
  }
  const clock = new BenchClock(order, () => steps);
  const engine = new WorkspaceEngine({
    workspaceId: order.workspaceId,
    claim,
    clock: order.dueFrom === undefined ? clock : await openProductClock(undefined),
    providers: order.sandbox ? createNetworkProviders({ sandbox: order.sandbox }) : () => network,
    newId: systemIds.uuid,
    log: createLogger('bench', 'error'),
    metrics,
    faults: noFaults,
    unknownFor: new KnownFor(),
  });
  process.on('message', (message: { ms: number; warmMs: number } | 'stop') => {
    if (message === 'stop') engine.drain();
    else void round(message);
  });
  async function round({ ms, warmMs }: { ms: number; warmMs: number }): Promise<void> {
    clock.open(true);
    engine.poke();
    await sleepReal(warmMs);
    const from = { at: process.hrtime.bigint(), steps, effects: network.performed, cpu: process.cpuUsage() };
    let rss = 0;
    for (let left = ms; left > 0; left -= 250) {
      await sleepReal(Math.min(250, left));
      rss = Math.max(rss, process.memoryUsage.rss());
    }
    const seconds = Number(process.hrtime.bigint() - from.at) / 1e9;
    const cpu = process.cpuUsage(from.cpu);
    process.send?.({
      steps: (steps - from.steps) / seconds,
      effects: (network.performed - from.effects) / seconds,
      rssMb: rss / 2 ** 20,
      cpu: (cpu.user + cpu.system) / 1e6 / seconds,
    });
    clock.open(false);
  }
  process.send?.('ready');
  await engine.run();
  await claim.release();
  process.send?.({ total: steps, late: late.sort((a, b) => a - b) });
  await db.close();
}

main(JSON.parse(process.argv[2] ?? '{}') as Order).then(
  () => process.disconnect(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
