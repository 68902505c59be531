import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { createLogger } from '../../../pkg/base/log.ts';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import type { EngineDeps } from '../../../pkg/engine/engine-deps.ts';
import { noFaults } from '../../../pkg/engine/fault-points.ts';
import { ClaimKeeper } from '../../../pkg/engine/lease/claim-keeper.ts';
import type { ClaimGrant } from '../../../pkg/engine/lease/claim-source.ts';
import type { ChannelAccount } from '../../../pkg/engine/ledger/channel-account.ts';
import { LedgerBatcher } from '../../../pkg/engine/ledger/ledger-batcher.ts';
import { KnownFor } from '../../../pkg/engine/lookups/known-for.ts';
import { lookupUnknown } from '../../../pkg/engine/lookups/lookups.ts';
import { Cadence } from '../../../pkg/engine/loop/cadence.ts';
import { WorkspaceEngine } from '../../../pkg/engine/loop/workspace-engine.ts';
import { createExecutorMetrics } from '../../../pkg/metrics/executor-metrics.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import type { NetworkProvider } from '../../../pkg/providers/network/network-provider.ts';
import { type Enrolment, enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { FakeClock } from '../../tools/fake-clock.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** A clock that tests move; holding does nothing. Monday 2026-01-05 09:00 UTC. */
export class TestClock extends FakeClock implements ProductClock {
  hold(): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }
  close(): void {}
}

export interface Bench {
  ownerUrl: string;
  executorUrl: string;
  app: Database;
  executor: Database;
  clock: TestClock;
  /** Claims that are renewed until `close`. */
  kept: ClaimKeeper[];
  close(): Promise<void>;
}

/** A migrated database with one pool per role and a clock. */
export async function openBench(): Promise<Bench> {
  const urls = await (await testPostgres()).product();
  const app = new Database({ url: urls.appUrl, max: 6, applicationName: 'test' });
  const executor = new Database({ url: urls.executorUrl, max: 8, applicationName: 'test', pipeline: true });
  const kept: ClaimKeeper[] = [];
  return {
    ownerUrl: urls.ownerUrl,
    executorUrl: urls.executorUrl,
    app,
    executor,
    clock: new TestClock(),
    kept,
    async close() {
      for (const claim of kept) claim.stop();
      await app.close();
      await executor.close();
    },
  };
}

/** Takes the claim as the broker would; the same holder may take it again (a restarted container). */
export async function takeClaim(
  bench: Pick<Bench, 'app' | 'executor'>,
  key: string,
  holder = 'pod-1',
  kind = 'workspace',
  onDrain?: () => void,
): Promise<ClaimKeeper> {
  return new ClaimKeeper(bench.executor, key, await grant(bench, key, holder, kind), onDrain);
}

/** What the broker hands out. */
export async function grant(
  bench: Pick<Bench, 'app'>,
  key: string,
  holder = 'pod-1',
  kind = 'workspace',
): Promise<ClaimGrant> {
  const granted = await bench.app.tx({ kind: 'platform' }, (tx) =>
    tx.row<ClaimGrant>('select token, epoch from app.take_claim($1, $2, $3)', [kind, key, holder]),
  );
  if (!granted) throw new Error('claim refused');
  return granted;
}

/** Takes the claim of a workspace and renews it, as an executor does: on a slow machine a test may outlive a claim. */
export async function keepClaim(
  bench: Pick<Bench, 'app' | 'executor'> & Partial<Pick<Bench, 'kept'>>,
  workspaceId: string,
  holder?: string,
): Promise<ClaimKeeper> {
  const claim = await takeClaim(bench, workspaceId, holder);
  claim.start();
  bench.kept?.push(claim);
  return claim;
}

export interface EngineHandle {
  engine: WorkspaceEngine;
  deps: EngineDeps;
  /** Steps and settles until nothing is due at the clock's time. Returns due runs seen. */
  quiet(): Promise<number>;
  lookUp(): Promise<number>;
}

/** Whatever is unknown has been so for hours: nobody waits for a provider to settle. */
function longKnown(): KnownFor {
  let now = 0;
  return new KnownFor(() => (now += 3_600_000));
}

/** An engine of a workspace that tests drive step by step. */
export async function openEngine(
  bench: Pick<Bench, 'app' | 'executor'> & Partial<Pick<Bench, 'kept'>> & { clock: ProductClock },
  workspaceId: string,
  network: NetworkProvider,
  options: Partial<Pick<EngineDeps, 'faults' | 'outside' | 'mail' | 'unknownFor' | 'atOnceWithinMs'>> & {
    holder?: string;
  } = {},
): Promise<EngineHandle> {
  const deps: EngineDeps = {
    workspaceId,
    claim: await keepClaim(bench, workspaceId, options.holder),
    clock: bench.clock,
    providers: () => network,
    newId: () => randomUUID(),
    log: createLogger('test', 'silent'),
    metrics: createExecutorMetrics(new Registry()),
    faults: options.faults ?? noFaults,
    unknownFor: options.unknownFor ?? longKnown(),
    // However slow this machine is.
    atOnceWithinMs: options.atOnceWithinMs ?? Number.POSITIVE_INFINITY,
    ...(options.outside ? { outside: options.outside } : {}),
    ...(options.mail ? { mail: options.mail } : {}),
  };
  const engine = new WorkspaceEngine(deps);
  const cadence = new Cadence({ ...deps, stop: deps.claim.signal });
  return {
    engine,
    deps,
    async quiet() {
      let total = 0;
      for (let round = 0; round < 200; round++) {
        const worked = await engine.step();
        await engine.settle();
        total += worked;
        if (worked === 0) return total;
      }
      throw new Error('never quiet');
    },
    lookUp: () =>
      lookupUnknown(
        { ...deps, ledger: new LedgerBatcher(deps.claim, deps.clock, deps.faults, cadence, () => false) },
        async (ids) => {
          const rows = await bench.app.tx({ kind: 'platform' }, (tx) =>
            tx.rows<ChannelAccount>(
              'select id, provider, kind, external_id as "externalId" from network_account where id = any ($1)',
              [ids],
            ),
          );
          return new Map(rows.map((row) => [row.id, row]));
        },
      ),
  };
}

/** Moves the clock in steps and keeps the engine quiet, as a running executor would. */
export async function passTime(bench: Bench, handle: EngineHandle, ms: number, stepMs: number): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await bench.clock.advance(Math.min(stepMs, left));
    await handle.quiet();
  }
}

/** Enrols leads by hand. */
export function enrol(bench: Bench, workspaceId: string, workflowId: string, leadIds: string[]): Promise<Enrolment[]> {
  return bench.app.tx({ kind: 'workspaces', ids: [workspaceId] }, (tx) =>
    enrolLeads(tx, {
      workspaceId,
      workflowId,
      now: bench.clock.now(),
      leads: leadIds.map((leadId) => ({ leadId, runId: randomUUID() })),
      source: 'trigger',
    }),
  );
}

/** Rows as a platform reader sees them. */
export function query<T>(bench: Bench, text: string, values: unknown[] = []): Promise<T[]> {
  return bench.app.tx({ kind: 'platform' }, (tx) => tx.rows<T>(text, values));
}

/** Changes rows as the platform. */
export function change(bench: Bench, text: string, values: unknown[] = []): Promise<number> {
  return bench.app.tx({ kind: 'platform' }, (tx) => tx.exec(text, values));
}

/** Gives the planner statistics, as autovacuum does after a while. */
export async function analyzeRuns(bench: Bench): Promise<void> {
  const owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
  await owner.tx({ kind: 'none' }, (tx) => tx.exec('analyze outrider.run, outrider.agenda'));
  await owner.close();
}
