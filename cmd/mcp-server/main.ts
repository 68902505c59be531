import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Clocks, SystemClock } from '../../pkg/base/clock.ts';
import { messageOf, UserError } from '../../pkg/base/errors.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { type PeriodicJob, runPeriodically } from '../../pkg/base/periodic.ts';
import { openProductClock } from '../../pkg/base/product-clock.ts';
import { PROGRAM_VERSION } from '../../pkg/base/program-version.ts';
import type { Sealer } from '../../pkg/base/sealer.ts';
import { sealerOf } from '../../pkg/base/sealing-env.ts';
import { Shutdown } from '../../pkg/base/shutdown.ts';
import { SYSTEM_MAIL_KINDS } from '../../pkg/domain/system-mails/system-mail.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import { largeBodyRoom } from '../../pkg/mcp/call-bodies.ts';
import { type ConsoleOptions, OIDC_RETURN } from '../../pkg/mcp/console/console-face.ts';
import { consoleUpkeepJob } from '../../pkg/mcp/console/upkeep-job.ts';
import { GENERATION_CHANNEL } from '../../pkg/mcp/generations.ts';
import { Ingress } from '../../pkg/mcp/ingress.ts';
import type { RateLimits } from '../../pkg/mcp/limits.ts';
import { McpServer, stoppingMs } from '../../pkg/mcp/mcp-server.ts';
import { PostgresLimiter } from '../../pkg/mcp/postgres-limiter.ts';
import { RedisLimiter } from '../../pkg/mcp/redis-limiter.ts';
import { RefusalMemory } from '../../pkg/mcp/refusal-memory.ts';
import { SERVER_POOL } from '../../pkg/mcp/server-pool.ts';
import { signInJob } from '../../pkg/mcp/sign-in/sign-in-job.ts';
import { ToolList } from '../../pkg/mcp/tool-list.ts';
import { createDeliveryMetrics } from '../../pkg/metrics/delivery-metrics.ts';
import { createEnrichmentMetrics } from '../../pkg/metrics/enrichment-metrics.ts';
import { createKubeMetrics } from '../../pkg/metrics/kube-metrics.ts';
import { createMailMetrics, openMailSeries } from '../../pkg/metrics/mail-metrics.ts';
import { createMcpMetrics, type McpMetrics, openMcpSeries } from '../../pkg/metrics/mcp-metrics.ts';
import { createPeriodicMetrics } from '../../pkg/metrics/periodic-metrics.ts';
import { serveProbes } from '../../pkg/metrics/probe-server.ts';
import { createProcessMetrics } from '../../pkg/metrics/process-metrics.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { chooseWriter } from '../../pkg/providers/ai/choose-writer.ts';
import type { EnrichmentDesk } from '../../pkg/providers/enrichment/ask-about.ts';
import { chooseEnrichment } from '../../pkg/providers/enrichment/choose-enrichment.ts';
import { reachBesides } from '../../pkg/providers/integrations.ts';
import { chooseBucket } from '../../pkg/providers/media/bucket.ts';
import { createNetworkProviders } from '../../pkg/providers/network/network-providers.ts';
import { oauthClients } from '../../pkg/providers/oauth/oauth-clients.ts';
import { SignInProvider } from '../../pkg/providers/oidc/sign-in-provider.ts';
import { bucketGarbageJob } from '../../pkg/tools/content/bucket-garbage-job.ts';
import type { DeliveryWorkerDeps } from '../../pkg/tools/deliveries/delivery-deps.ts';
import { DeliveryWorker } from '../../pkg/tools/deliveries/delivery-worker.ts';
import { ScoringWorker } from '../../pkg/tools/icps/scoring-worker.ts';
import { calendarSyncJob } from '../../pkg/tools/integrations/accounts/calendar-sync-job.ts';
import { renewGrantsJob } from '../../pkg/tools/integrations/oauth/renew-grants.ts';
import { sealedSecretsJob } from '../../pkg/tools/integrations/sealed-secrets-job.ts';
import { JobWorker } from '../../pkg/tools/jobs/job-worker.ts';
import { uploadsJob } from '../../pkg/tools/leads/csv/uploads-job.ts';
import { MailWorker } from '../../pkg/tools/mail/mail-worker.ts';
import { PostOffice } from '../../pkg/tools/mail/post-office.ts';
import { notificationMailsJob } from '../../pkg/tools/notifications/notification-mails.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import { createKubeResources } from '../../pkg/tools/resources/kube-resources.ts';
import type { Connections } from '../../pkg/tools/tool-context.ts';
import { readSettings, type Settings } from './settings.ts';

const log = createLogger('mcp-server');

/** Beside the sources, and in the image beside the programs. */
const CONSOLE_PAGES = new URL('../../pkg/console/dist/', import.meta.url).pathname;

/** The MCP server: main and internal listener, ingress, metrics. */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const shutdown = new Shutdown(log);
  shutdown.onSignals();
  if (settings.OUTRIDER_PARENT_PIPE === '1') endWithParent(shutdown);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createMcpMetrics(registry);
  const own = createProcessMetrics(registry);
  own.buildInfo.set({ version: PROGRAM_VERSION, node_version: process.version }, 1);
  const limits = limitsOf(settings, metrics);
  const db = new Database({
    url: settings.DATABASE_URL,
    ...SERVER_POOL,
    applicationName: 'outrider-mcp',
    prepare: true,
    onAnswering: (answering) => {
      if (answering) log.info('Postgres answers again');
      else log.error('Postgres hangs: it answers on no connection; calls fail at once until it does');
    },
    listen: {
      channel: GENERATION_CHANNEL,
      heard: (payload) => server.announced(payload),
      onGap: () => server.forgetKeys(),
    },
  });
  shutdown.add('database', () => db.close());
  own.poolProbes.set('mcp-server', () => db.load());
  const product = await openProductClock(settings.OUTRIDER_CLOCK);
  shutdown.add('clock', () => product.close());
  const clocks = { product, real: new SystemClock() };
  const largeBodies = largeBodyRoom(clocks.real);
  const sealer = sealerOf(settings);
  const connections = connectionsOf(sealer, settings);
  let publicUrl = '';
  const oauth = connections && { connections, ingressUrl: () => publicUrl };
  const ingress = new Ingress({ db, product, ids: systemIds, log, room: largeBodies, oauth });
  shutdown.add('ingress', () => ingress.close());
  const ingressUrl = await named(
    'INGRESS_PORT',
    settings.INGRESS_PORT,
    ingress.listen(settings.HOST, settings.INGRESS_PORT),
  );
  publicUrl = (settings.INGRESS_URL ?? ingressUrl).replace(/\/$/, '');
  const providers = createNetworkProviders(providersOf(settings));
  const { enrichment: answers } = createEnrichmentMetrics(registry);
  const enrichment: EnrichmentDesk = {
    ...chooseEnrichment(settings),
    told: (provider, field, outcome) => answers.inc({ provider, field, outcome }),
  };
  const office = officeOf(settings, sealer);
  const bucket = chooseBucket(settings);
  const server: McpServer = new McpServer({
    services: {
      db,
      clocks,
      ids: systemIds,
      log,
      resources: createKubeResources({
        client: openKube(settings, registry),
        db,
        clocks,
        ids: systemIds,
        homeNamespace: settings.OUTRIDER_NAMESPACE,
      }),
      providers,
      ai: chooseWriter(settings),
      enrichment,
      connections,
      bucket,
      mail: office,
      cursorSecret: settings.CURSOR_SECRET,
      ingressUrl: publicUrl,
      tools: new Map(ALL_TOOLS.map((tool) => [tool.name, tool])),
      toolList: new ToolList(ALL_TOOLS),
      limiter: openLimiter(settings, db, metrics, shutdown, () => server.forgetKeys()),
      limits,
      maxKeys: settings.MCP_MAX_LIVE_KEYS,
      metrics,
      version: PROGRAM_VERSION,
    },
    sessionSecret: settings.SESSION_SECRET,
    runnerSecret: settings.RUNNER_SECRET,
    ownerTimes: settings.MCP_RATE_LIMIT_OWNER_MULTIPLE,
    runnerOnMain: settings.RUNNER_SECRET_ON_MAIN === 'true',
    ...allowedBy(settings),
    signIn: settings.MCP_SIGN_IN === 'on' ? { maxGrants: settings.MCP_MAX_LIVE_GRANTS } : undefined,
    console: consoleOf(settings),
    drainMs: settings.DRAIN_MS,
    largeBodies,
  });
  shutdown.add('mcp', () => server.close(), stoppingMs(settings.DRAIN_MS));
  const periodicHost = { clock: clocks.real, random: Math.random, log, observer: createPeriodicMetrics(registry) };
  const deliveries = connections && deliveryWorker({ db, clocks, connections }, registry);
  // What is under way ends by its own time limit; what is cut off is sent again by another server, under the same id.
  if (deliveries) shutdown.add('deliveries', () => deliveries.settled());
  const jobs = [
    ...new ScoringWorker({ db, clocks, ids: systemIds }).periodicJobs(),
    uploadsJob(db),
    consoleUpkeepJob(db),
    signInJob({ db, clocks }),
    ...new JobWorker({ db, clocks, ids: systemIds, providers, connections, enrichment, bucket }).periodicJobs(),
    ...(deliveries?.periodicJobs() ?? []),
    ...(connections ? [renewGrantsJob({ db, clocks, ids: systemIds, connections })] : []),
    ...(connections ? [calendarSyncJob({ db, clocks, ids: systemIds, connections })] : []),
    ...(bucket ? [bucketGarbageJob(db, bucket)] : []),
    ...(sealer ? [sealedSecretsJob(db, sealer, metrics.sealedSecrets)] : []),
    ...(await mailJobs(settings, office, { db, clocks }, registry)),
  ].map((job) => runPeriodically(job, periodicHost, shutdown.signal));
  shutdown.add('jobs', () => Promise.all(jobs));
  const mcpUrl = await named('PORT', settings.PORT, server.listen(settings.HOST, settings.PORT));
  const internalUrl = await named(
    'INTERNAL_PORT',
    settings.INTERNAL_PORT,
    server.listen(settings.HOST, settings.INTERNAL_PORT, true),
  );
  const { HOST: host, METRICS_PORT: port } = settings;
  const probes = await named('METRICS_PORT', port, serveProbes({ host, port, registry }));
  shutdown.add('metrics', probes.close);
  const metricsUrl = `${probes.url}/metrics`;
  process.stdout.write(
    `${JSON.stringify({ ready: true, mcpUrl: `${mcpUrl}/mcp`, metricsUrl, internalUrl, ingressUrl })}\n`,
  );
}

function limitsOf(settings: Settings, metrics: McpMetrics): RateLimits {
  const limits = {
    read: settings.MCP_RATE_LIMIT_READ_PER_MIN,
    write: settings.MCP_RATE_LIMIT_WRITE_PER_MIN,
    llm: settings.MCP_RATE_LIMIT_LLM_PER_MIN,
    overall: settings.MCP_RATE_LIMIT_OVERALL_PER_MIN,
  };
  for (const [category, limit] of Object.entries(limits)) metrics.limits.set({ category }, limit);
  const domains = new Set(ALL_TOOLS.map((tool) => tool.domain));
  openMcpSeries(metrics, domains, Object.keys(limits));
  return limits;
}

function consoleOf(settings: Settings): ConsoleOptions {
  const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId, CONSOLE_OIDC_NAME: name } = settings;
  const { CONSOLE_OIDC_CLIENT_SECRET: clientSecret, CONSOLE_PAGES: pages = CONSOLE_PAGES } = settings;
  const publicUrl = settings.CONSOLE_URL?.replace(/\/$/, '');
  if (!issuer || !clientId || !clientSecret || publicUrl === undefined) return { publicUrl, pages };
  const redirectUri = `${publicUrl}${OIDC_RETURN}`;
  return {
    publicUrl,
    pages,
    oidc: { name, provider: new SignInProvider({ issuer, clientId, clientSecret, redirectUri }) },
  };
}

/** Where the console is known to be is one of the hosts. */
function allowedBy(settings: Settings): { allowedHosts: string[]; allowedOrigins: string[] } {
  const { ALLOWED_HOSTS: hosts, ALLOWED_ORIGINS: origins, CONSOLE_URL: url } = settings;
  if (url === undefined) return { allowedHosts: hosts, allowedOrigins: origins };
  const { host, origin } = new URL(url);
  return { allowedHosts: [...hosts, host], allowedOrigins: [...origins, origin] };
}

function deliveryWorker(
  own: Pick<DeliveryWorkerDeps, 'db' | 'clocks' | 'connections'>,
  registry: Registry,
): DeliveryWorker {
  return new DeliveryWorker({ ...own, ids: systemIds, log, metrics: createDeliveryMetrics(registry) });
}

/** Without a key nothing could be stored safely, so nothing can be connected. */
function connectionsOf(sealer: Sealer | undefined, settings: Settings): Connections | undefined {
  return sealer && { sealer, reachOf: reachBesides(settings.SANDBOX_URL), oauth: oauthClients(settings) };
}

/** The settings see to it that there is a key where there is a mail server: links are stored sealed. */
function officeOf({ MAIL_SMTP_HOST: host }: Settings, sealer: Sealer | undefined): PostOffice | undefined {
  return host && sealer ? new PostOffice(sealer, systemIds) : undefined;
}

/** The library behind it is loaded where mail is set up only. */
async function mailJobs(
  settings: Settings,
  office: PostOffice | undefined,
  { db, clocks }: { db: Database; clocks: Clocks },
  registry: Registry,
): Promise<PeriodicJob[]> {
  const { MAIL_SMTP_HOST: host, MAIL_FROM: address } = settings;
  if (!office || host === undefined || address === undefined) return [];
  const { smtpSystemMailer } = await import('../../pkg/providers/mail/system-mailer.ts');
  const mailer = smtpSystemMailer({
    smtp: { host, port: settings.MAIL_SMTP_PORT, tls: settings.MAIL_SMTP_TLS },
    username: settings.MAIL_SMTP_USER,
    password: settings.MAIL_SMTP_PASSWORD,
    from: { name: settings.MAIL_FROM_NAME, address },
  });
  const metrics = createMailMetrics(registry);
  openMailSeries(metrics, SYSTEM_MAIL_KINDS);
  const worker = new MailWorker({ db, clocks, ids: systemIds, office, mailer, metrics });
  return [...worker.periodicJobs(), notificationMailsJob({ db, clocks, ids: systemIds })];
}

/** Redis counts where there is one, else Postgres; both exactly over all replicas. */
function openLimiter(
  settings: Settings,
  db: Database,
  metrics: McpMetrics,
  shutdown: Shutdown,
  onGap: () => void,
): RefusalMemory {
  const postgres = new PostgresLimiter(db);
  if (settings.REDIS_URL === undefined) return new RefusalMemory(postgres);
  const limiter = new RedisLimiter({
    url: settings.REDIS_URL,
    postgres,
    log,
    onGap,
    onState: (answering) => metrics.redisUp.set({ use: 'limits' }, answering ? 1 : 0),
  });
  shutdown.add('redis', () => limiter.close());
  return new RefusalMemory(limiter);
}

function openKube(settings: Settings, registry: Registry): KubeClient {
  const runtime = {
    clock: new SystemClock(),
    random: Math.random,
    ids: systemIds,
    log,
    metrics: createKubeMetrics(registry),
  };
  const source = settings.KUBECONFIG_PATH ? { path: settings.KUBECONFIG_PATH } : ({ inCluster: true } as const);
  return KubeClient.open(source, runtime, { userAgent: 'outrider-mcp' });
}

function providersOf(settings: Settings): Parameters<typeof createNetworkProviders>[0] {
  const { SANDBOX_URL, SANDBOX_API_KEY, UNIPILE_BASE_URL, UNIPILE_API_KEY } = settings;
  return {
    ...(SANDBOX_URL && SANDBOX_API_KEY ? { sandbox: { url: SANDBOX_URL, apiKey: SANDBOX_API_KEY } } : {}),
    ...(UNIPILE_BASE_URL && UNIPILE_API_KEY ? { unipile: { url: UNIPILE_BASE_URL, apiKey: UNIPILE_API_KEY } } : {}),
  };
}

/** A taken port is said in a sentence that names the setting. */
async function named<T>(setting: string, port: number, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new UserError(`Port ${port} is used by another program. Set ${setting} to a free port.`, 'PortInUse');
  }
}

function endWithParent(shutdown: Shutdown): void {
  process.stdin.resume();
  process.stdin.on('end', () => void shutdown.run().finally(() => process.exit(0)));
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
