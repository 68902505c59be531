import { collectDefaultMetrics, Registry } from 'prom-client';
import { z } from 'zod';
import { every, sleepReal } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { FencedError, messageOf, UserError } from '../../pkg/base/errors.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { createLogger, type Logger } from '../../pkg/base/log.ts';
import { openProductClock, type ProductClock } from '../../pkg/base/product-clock.ts';
import { PROGRAM_VERSION } from '../../pkg/base/program-version.ts';
import type { Sealer } from '../../pkg/base/sealer.ts';
import { sealerOf, sealingEnv } from '../../pkg/base/sealing-env.ts';
import { type Outside, openOutside } from '../../pkg/engine/calls/outside.ts';
import { HttpLeaseSource } from '../../pkg/engine/lease/http-lease-source.ts';
import { LeaseKeeper } from '../../pkg/engine/lease/lease-keeper.ts';
import type { PoolSource } from '../../pkg/engine/lease/lease-source.ts';
import { PipeLeaseSource } from '../../pkg/engine/lease/pipe-lease-source.ts';
import { KnownFor } from '../../pkg/engine/lookups/known-for.ts';
import { WorkspaceEngine } from '../../pkg/engine/loop/workspace-engine.ts';
import type { MailDesk } from '../../pkg/engine/mail/mail-desk.ts';
import { PoolHost } from '../../pkg/engine/pool/pool-host.ts';
import { tenantsOf } from '../../pkg/engine/pool/serve-workspace.ts';
import { beginSeries } from '../../pkg/engine/schedule/schedule-handlers.ts';
import { runAccountsRole } from '../../pkg/engine/sync/accounts-role.ts';
import { createExecutorMetrics, type ExecutorMetrics } from '../../pkg/metrics/executor-metrics.ts';
import { serveProbes } from '../../pkg/metrics/probe-server.ts';
import { createProcessMetrics } from '../../pkg/metrics/process-metrics.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { EXECUTOR_SESSION } from '../../pkg/postgres/executor-role.ts';
import { writerEnv } from '../../pkg/providers/ai/choose-writer.ts';
import { enrichmentEnv } from '../../pkg/providers/enrichment/choose-enrichment.ts';
import { reachBesides } from '../../pkg/providers/integrations.ts';
import { createMailProviders } from '../../pkg/providers/mail/mail-providers.ts';
import { bucketEnv } from '../../pkg/providers/media/bucket.ts';
import { createNetworkProviders, type NetworkProviders } from '../../pkg/providers/network/network-providers.ts';
import { dropPrivileges } from './drop-privileges.ts';
import { faultsFromEnv, leaseFromEnv } from './fault-env.ts';

const settings = z
  .object({
    OUTRIDER_WORKSPACE: z.string().min(1).optional(),
    OUTRIDER_ROLE: z.enum(['accounts', 'pool']).optional(),
    /** Database connections of a process that serves many workspaces. */
    POOL_CONNECTIONS: z.coerce.number().int().min(4).max(200).default(16),
    DATABASE_URL: z.string().min(1),
    /** true: DATABASE_URL leads to a pooler in transaction mode (PgBouncer). */
    DATABASE_POOLED: z.enum(['true', 'false']).default('false'),
    OUTRIDER_CLOCK: z.string().min(1).optional(),
    POD_NAME: z.string().default('executor'),
    POD_UID: z.string().default(''),
    /** Claim endpoint of the operator; absent: the parent's pipe. */
    CLAIM_URL: z.url().optional(),
    CLAIM_TOKEN_FILE: z.string().default('/var/run/secrets/outrider/token'),
    METRICS_HOST: z.string().default('127.0.0.1'),
    METRICS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
    INGRESS_URL: z.url().optional(),
    /** Address of the ingress for people outside (unsubscribe links in mails); absent: mails offer to answer instead. */
    PUBLIC_INGRESS_URL: z.url().optional(),
    SANDBOX_URL: z.url().optional(),
    SANDBOX_API_KEY: z.string().optional(),
    UNIPILE_BASE_URL: z.url().optional(),
    UNIPILE_API_KEY: z.string().optional(),
    /** Open the stored credentials of integrations; the MCP server seals them under the same key. */
    ...sealingEnv,
    ...writerEnv,
    ...enrichmentEnv,
    ...bucketEnv,
  })
  .refine((env) => (env.OUTRIDER_WORKSPACE === undefined) !== (env.OUTRIDER_ROLE === undefined), {
    message: 'give either OUTRIDER_WORKSPACE or OUTRIDER_ROLE',
  });

/** Tries to get the claim before the process gives up and its Pod's back-off takes over. */
const LEASE_TRIES = 120;
const LEASE_RETRY_MS = 500;
/** Real ms for which an executor that was told to drain waits for the end of its Pod. */
const AWAIT_DELETION_MS = 30_000;
/** Real ms between readings of what a pool's process serves. */
const GAUGES_MS = 5_000;
/** Real ms for draining; a Pod has 60 s. */
const DRAIN_LIMIT_MS = 55_000;

/** Database connections of a process that serves one workspace, or syncs accounts. */
const OWN_CONNECTIONS = 2;

interface Runtime {
  db: Database;
  connections: number;
  clock: ProductClock;
  log: Logger;
  metrics: ExecutorMetrics;
  providers: NetworkProviders;
  outside: Outside;
  mail: MailDesk;
  source: PoolSource;
  stop: AbortSignal;
}

async function main(): Promise<void> {
  const env = parseEnv(settings, process.env);
  const log = createLogger('executor').child({
    pod: env.POD_NAME,
    workspace: env.OUTRIDER_WORKSPACE,
    role: env.OUTRIDER_ROLE,
  });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createExecutorMetrics(registry);
  beginSeries(metrics);
  const probes = await serveProbes({ host: env.METRICS_HOST, port: env.METRICS_PORT, registry });
  const here = `http://127.0.0.1:${new URL(probes.url).port}`;
  await dropPrivileges(process.env, `${here}/livez`);
  process.send?.({ type: 'metrics', url: `${here}/metrics` });
  const stop = stopSignal(log);
  const clock = await clockUntil(stop, env.OUTRIDER_CLOCK);
  if (!clock) return;
  const pooled = env.DATABASE_POOLED === 'true';
  const connections = env.OUTRIDER_ROLE === 'pool' ? env.POOL_CONNECTIONS : OWN_CONNECTIONS;
  const db = new Database({
    url: env.DATABASE_URL,
    max: connections,
    settings: EXECUTOR_SESSION,
    applicationName: 'outrider-executor',
    pooled,
    prepare: !pooled,
    pipeline: true,
  });
  const own = createProcessMetrics(registry);
  own.buildInfo.set({ version: PROGRAM_VERSION, node_version: process.version }, 1);
  own.poolProbes.set('executor', () => db.load());
  const sealer = sealerOf(env);
  const runtime: Runtime = {
    db,
    connections,
    clock,
    log,
    metrics,
    providers: providersOf(env),
    outside: openOutside(env, sealer),
    mail: mailOf(env, sealer),
    source: sourceOf(env),
    stop,
  };
  try {
    if (env.OUTRIDER_WORKSPACE) await runWorkspace(runtime, env.OUTRIDER_WORKSPACE);
    else if (env.OUTRIDER_ROLE === 'pool') await runPool(runtime);
    else
      await runAccountsRole(
        {
          ...runtime,
          ingressUrl: env.INGRESS_URL,
          newId: systemIds.uuid,
          onLease: (result) => metrics.claims.inc({ result }),
        },
        stop,
      );
  } finally {
    await probes.close();
    clock.close();
    await db.close();
  }
}

/** Undefined when the process is told to stop first: the clock of a Pod that an ended home left behind is gone with it. */
function clockUntil(stop: AbortSignal, address: string | undefined): Promise<ProductClock | undefined> {
  return openProductClock(address, stop).catch((error: unknown) => {
    if (stop.aborted) return undefined;
    throw error;
  });
}

function sourceOf({ CLAIM_URL, CLAIM_TOKEN_FILE }: z.infer<typeof settings>): PoolSource {
  if (CLAIM_URL === undefined) return new PipeLeaseSource(process);
  return new HttpLeaseSource({ url: CLAIM_URL, tokenFile: CLAIM_TOKEN_FILE });
}

function providersOf(env: z.infer<typeof settings>): NetworkProviders {
  const { SANDBOX_URL, SANDBOX_API_KEY, UNIPILE_BASE_URL, UNIPILE_API_KEY } = env;
  return createNetworkProviders({
    sandbox: SANDBOX_URL ? { url: SANDBOX_URL, apiKey: SANDBOX_API_KEY ?? '' } : undefined,
    unipile: UNIPILE_BASE_URL && UNIPILE_API_KEY ? { url: UNIPILE_BASE_URL, apiKey: UNIPILE_API_KEY } : undefined,
  });
}

function mailOf(env: z.infer<typeof settings>, sealer: Sealer | undefined): MailDesk {
  const { SANDBOX_URL, SANDBOX_API_KEY, PUBLIC_INGRESS_URL } = env;
  return {
    providers: createMailProviders(),
    sealer,
    ingressUrl: PUBLIC_INGRESS_URL?.replace(/\/+$/, ''),
    sandbox: SANDBOX_URL ? { url: SANDBOX_URL, apiKey: SANDBOX_API_KEY ?? '' } : undefined,
    reachOf: reachBesides(SANDBOX_URL),
  };
}

async function runWorkspace(runtime: Runtime, workspaceId: string): Promise<void> {
  const { db, clock, log, metrics, providers, outside, mail, stop } = runtime;
  const grant = await leaseWorkspace(runtime, workspaceId);
  if (!grant) return;
  let drain = (): void => undefined;
  const machine = clock.steady ? clock : undefined;
  const claim = new LeaseKeeper(db, workspaceId, grant, () => drain(), leaseFromEnv(process.env), machine);
  claim.start();
  log.info({ epoch: claim.epoch }, 'claim taken');
  const engine = new WorkspaceEngine({
    workspaceId,
    claim,
    clock,
    providers,
    outside,
    mail,
    newId: systemIds.uuid,
    log,
    metrics,
    faults: faultsFromEnv(process.env),
    unknownFor: new KnownFor(),
    // With --expose-gc alone: an executor rests most of the day, and V8 collects when memory is asked for.
    giveBackMemory: () => void globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  });
  drain = () => engine.drain();
  runtime.source.onWake = () => engine.poke();
  stop.addEventListener('abort', () => engine.drain(), { once: true });
  if (stop.aborted) engine.drain();
  try {
    // Before the first effect: that the clocks agree.
    if (machine) await claim.renew();
    if (claim.signal.aborted) throw claim.signal.reason;
    await engine.run();
    await claim.release();
    log.info('drained');
    // Its pod is deleted next; a process that ended before would be started again, and claim again.
    await sleepReal(AWAIT_DELETION_MS, stop).catch(() => undefined);
  } catch (error) {
    if (error instanceof FencedError) metrics.fenced.inc();
    claim.stop();
    throw error;
  }
}

/** Serves the workspaces that are seated to this process until it is told to stop. */
async function runPool(runtime: Runtime): Promise<void> {
  const { source, clock, log, metrics, stop } = runtime;
  const lease = leaseFromEnv(process.env);
  const tenant = tenantsOf({ ...runtime, lease, faults: faultsFromEnv(process.env), newId: systemIds.uuid });
  const host = new PoolHost({ source, now: () => clock.now(), tenant, log });
  const stopGauges = every(GAUGES_MS, () => {
    const { seats, working } = host.load;
    metrics.poolSeats.set({ state: 'working' }, working);
    metrics.poolSeats.set({ state: 'waiting' }, seats - working);
  });
  try {
    await host.run(stop);
    log.info('drained');
  } finally {
    stopGauges();
  }
}

/** Asks until the claim is free; null when the process is told to stop meanwhile. */
async function leaseWorkspace(runtime: Runtime, workspaceId: string): Promise<{ token: string; epoch: number } | null> {
  for (let attempt = 0; attempt < LEASE_TRIES && !runtime.stop.aborted; attempt++) {
    const grant = await runtime.source.claim('workspace', workspaceId);
    runtime.metrics.claims.inc({ result: grant ? 'granted' : 'refused' });
    if (grant) return grant;
    await sleepReal(LEASE_RETRY_MS, runtime.stop).catch(() => undefined);
  }
  if (runtime.stop.aborted) return null;
  throw new Error('the claim of the workspace is held by another executor');
}

/** Aborted by SIGTERM, SIGINT, or the end of the parent that holds our pipe. */
function stopSignal(log: Logger): AbortSignal {
  const controller = new AbortController();
  const stop = (why: string): void => {
    if (controller.signal.aborted) return;
    log.info({ why }, 'draining');
    controller.abort(new Error(why));
    // Whatever waits for what is gone too (clock, database) must not keep an orphan alive.
    void sleepReal(DRAIN_LIMIT_MS).then(() => {
      log.error('draining took too long; the claim runs out by itself');
      process.exit(1);
    });
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('disconnect', () => stop('the parent is gone'));
  return controller.signal;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const known = error instanceof UserError || error instanceof FencedError;
    createLogger('executor').error(known ? { reason: messageOf(error) } : { err: error }, 'executor ends');
    process.exit(1);
  },
);
