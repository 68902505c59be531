import { Registry } from 'prom-client';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { openProductClock } from '../../../pkg/base/product-clock.ts';
import { openOutside } from '../../../pkg/engine/calls/outside.ts';
import { noFaults } from '../../../pkg/engine/fault-points.ts';
import { LEASE } from '../../../pkg/engine/lease/lease-keeper.ts';
import { PipeLeaseSource } from '../../../pkg/engine/lease/pipe-lease-source.ts';
import { PoolHost } from '../../../pkg/engine/pool/pool-host.ts';
import { tenantsOf } from '../../../pkg/engine/pool/serve-workspace.ts';
import { createExecutorMetrics } from '../../../pkg/metrics/executor-metrics.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { createMailProviders } from '../../../pkg/providers/mail/mail-providers.ts';
import type { AccountRef, NetworkAction, PerformResult } from '../../../pkg/providers/network/network-provider.ts';
import { InstantNetwork } from '../engine/instant-network.ts';

/** What the bench tells this process, once, on its command line. */
export interface PoolOrder {
  url: string;
  /** PgBouncer in transaction mode stands between. */
  pooled: boolean;
  connections: number;
}

/** What it answers to `'look'`. */
export interface PoolLook {
  /** Actions since the last look: whose, about whom, and when (real time, epoch ms). */
  acted: [workspaceId: string, person: number, at: number][];
  rssMb: number;
  heapMb: number;
  cpuSeconds: number;
  working: number;
  steps: number;
}

/** A network that answers at once and remembers when it was asked by whom; accounts are named after their workspace. */
class NotingNetwork extends InstantNetwork {
  acted: PoolLook['acted'] = [];
  readonly #clock = new SystemClock();

  override perform(account: AccountRef, action: NetworkAction): Promise<PerformResult> {
    const workspaceId = account.externalId.replace(/-\d+$/, '');
    this.acted.push([workspaceId, Number(action.publicId.slice(2)), this.#clock.now()]);
    return super.perform(account, action);
  }
}

/** A process of the pool as `cmd/executor` runs it, on a network in process. */
async function main({ url, pooled, connections }: PoolOrder): Promise<void> {
  const db = new Database({
    url,
    max: connections,
    applicationName: 'bench-pool',
    pooled,
    prepare: !pooled,
    pipeline: true,
  });
  const network = new NotingNetwork();
  const source = new PipeLeaseSource(process);
  const clock = await openProductClock(undefined);
  const log = createLogger('bench', 'error');
  const metrics = createExecutorMetrics(new Registry());
  let steps = 0;
  const inc = metrics.steps.inc.bind(metrics.steps);
  metrics.steps.inc = ((labels: never, value?: number) => {
    steps += value ?? 1;
    inc(labels, value);
  }) as typeof metrics.steps.inc;
  const tenant = tenantsOf({
    db,
    connections,
    clock,
    log,
    metrics,
    providers: () => network,
    outside: openOutside({}, undefined),
    mail: { providers: createMailProviders(), sealer: undefined, ingressUrl: undefined },
    source,
    lease: LEASE,
    faults: noFaults,
    newId: systemIds.uuid,
  });
  const host = new PoolHost({ source, now: () => clock.now(), tenant, log });
  const stop = new AbortController();
  const look = (): PoolLook => {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const acted = network.acted;
    network.acted = [];
    return {
      acted,
      rssMb: rss / 2 ** 20,
      heapMb: heapUsed / 2 ** 20,
      cpuSeconds: (user + system) / 1e6,
      working: host.load.working,
      steps,
    };
  };
  process.on('message', (message: unknown) => {
    if (message === 'stop') stop.abort(new Error('the bench ends'));
    if (message === 'look') process.send?.({ type: 'look', look: look() });
  });
  await host.run(stop.signal);
  await db.close();
}

main(JSON.parse(process.argv[2] ?? '{}') as PoolOrder).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
