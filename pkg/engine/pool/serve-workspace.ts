import type { Logger } from '../../base/log.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import type { ExecutorMetrics } from '../../metrics/executor-metrics.ts';
import { PartsOfGauges } from '../../metrics/parts-of-gauges.ts';
import type { Database } from '../../postgres/database.ts';
import type { NetworkProviders } from '../../providers/network/network-providers.ts';
import type { Outside } from '../calls/outside.ts';
import type { FaultHook } from '../fault-points.ts';
import { LeaseKeeper, type LeaseTimes } from '../lease/lease-keeper.ts';
import type { LeaseGrant, PoolSource } from '../lease/lease-source.ts';
import { KnownFor } from '../lookups/known-for.ts';
import { WorkspaceEngine } from '../loop/workspace-engine.ts';
import type { MailDesk } from '../mail/mail-desk.ts';
import { AMONG_MANY } from '../pace.ts';
import { FairGate } from './fair-gate.ts';
import { PoolTenant, type ServedEngine } from './pool-tenant.ts';
import { Renewals } from './renewals.ts';

/** Connections that no work takes: renewals and reports of idleness always find one. */
const RESERVED = 2;
/** Connections that one workspace has at most, as in a pod of its own. */
const PER_WORKSPACE = 2;
/** Claims that are asked for at once: a thousand workspaces that wake at nine do not ask the operator in one moment. */
const CLAIMING = 16;

/** What all workspaces of a pool's process share. Nothing in it is of one of them. */
export interface PoolRuntime {
  db: Database;
  /** Connections that `db` has at most. */
  connections: number;
  clock: ProductClock;
  log: Logger;
  metrics: ExecutorMetrics;
  providers: NetworkProviders;
  outside: Outside;
  mail: MailDesk;
  source: PoolSource;
  lease: LeaseTimes;
  faults: FaultHook;
  newId: () => string;
}

/** Makes the tenants of a pool: each with a lease, an engine, caches and gauges of its own, behind one fair gate. */
export function tenantsOf(runtime: PoolRuntime): (workspaceId: string) => PoolTenant {
  const { db, connections, source, metrics } = runtime;
  const gate = new FairGate({ slots: connections - RESERVED, perWorkspace: PER_WORKSPACE });
  const renewals = new Renewals(db, runtime.lease.ttlSeconds);
  const gauges = new PartsOfGauges(metrics);
  const openMonths = new Set<string>();
  // Asked for in the same order as transactions: who asks again and again waits behind the others.
  const asking = new FairGate({ slots: CLAIMING, perWorkspace: 1 });
  return (workspaceId) => {
    const log = runtime.log.child({ workspace: workspaceId });
    return new PoolTenant({
      workspaceId,
      log,
      claim: async () => {
        const leave = await asking.enter(workspaceId);
        try {
          const grant = await source.claim('workspace', workspaceId);
          metrics.claims.inc({ result: grant ? 'granted' : 'refused' });
          return grant;
        } finally {
          leave();
        }
      },
      serve: (grant) => serve({ ...runtime, log }, { workspaceId, grant, gate, renewals, gauges, openMonths }),
      onFenced: () => metrics.fenced.inc(),
      onFailure: () => metrics.engineFailures.inc(),
    });
  };
}

interface Served {
  workspaceId: string;
  grant: LeaseGrant;
  gate: FairGate;
  renewals: Renewals;
  gauges: PartsOfGauges;
  openMonths: Set<string>;
}

function serve(runtime: PoolRuntime, { workspaceId, grant, gate, renewals, gauges, openMonths }: Served): ServedEngine {
  const { db, clock, lease, log } = runtime;
  const machine = clock.steady ? clock : undefined;
  const share = {
    enter: (urgent: boolean) => gate.enter(workspaceId, urgent),
    renew: (token: string) => renewals.renew(token),
  };
  const own = gauges.part();
  const claim = new LeaseKeeper(db, workspaceId, grant, () => engine.drain(), lease, machine, share);
  const engine: WorkspaceEngine = new WorkspaceEngine({
    ...runtime,
    workspaceId,
    claim,
    metrics: own.metrics,
    pace: AMONG_MANY,
    openMonths,
    unknownFor: new KnownFor(),
  });
  return {
    run: async () => {
      claim.start();
      log.info({ epoch: claim.epoch }, 'claim taken');
      // Before the first effect: that the clocks agree.
      if (machine) await claim.renew();
      if (claim.signal.aborted) throw claim.signal.reason;
      await engine.run();
      log.info('drained');
    },
    drain: () => engine.drain(),
    poke: () => engine.poke(),
    settle: () => engine.settle(),
    release: () => claim.release(),
    stop: () => {
      claim.stop();
      own.end();
      gate.forget(workspaceId);
    },
  };
}
