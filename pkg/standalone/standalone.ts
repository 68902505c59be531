import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { monotonicMs, SystemClock } from '../base/clock.ts';
import { messageOf, UserError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { Shutdown } from '../base/shutdown.ts';
import { KubeClient } from '../kube/client.ts';
import { ownRuntime } from '../kube/own-runtime.ts';
import { Database } from '../postgres/database.ts';
import { OwnClient } from '../postgres/own-client.ts';
import { ADMIN_SESSION, sessionOf } from '../postgres/session-settings.ts';
import { isClaimed, makeClaim } from '../store/console/claims.ts';
import { LeaseDesk } from '../store/leases/lease-desk.ts';
import { countRealAccounts, markRehearsal } from '../store/restore/rehearsal.ts';
import { banner } from './banner.ts';
import { type Bootstrap, bootstrap } from './bootstrap.ts';
import { ClockAuthority } from './clock-authority.ts';
import { type Components, startComponents } from './components.ts';
import { type Connection, writeConnection } from './connection.ts';
import { ControlServer } from './control-server.ts';
import { type HomeDatabases, startDatabases } from './database-setup.ts';
import { DEMO_SPAN_MS } from './demo/demo.ts';
import { DemoRunner } from './demo/demo-runner.ts';
import { diskFull, saysDiskFull, watchSpace } from './disk-space.ts';
import { openGivenCluster } from './given-cluster.ts';
import { type Home, openHome, sealingSettings } from './home.ts';
import { IdleSkipper } from './idle-skipper.ts';
import type { KubeAccess } from './kube-access.ts';
import { setUpCluster, writeKubeconfig } from './kube-setup.ts';
import { KubeApi } from './kubeapi/kube-api.ts';
import { makeServerCertificate, type ServerCertificate } from './kubeapi/server-certificate.ts';
import { nextDue } from './next-due.ts';
import { chooseExecutorUser } from './node-agent/executor-user.ts';
import { LeaseBroker } from './node-agent/lease-broker.ts';
import { ACCOUNT_SYNC, NodeAgent } from './node-agent/node-agent.ts';
import { outsideSettings } from './outside-settings.ts';
import { ScrapeTargets } from './scrape-targets.ts';
import { requireFreePort, type StandaloneSettings } from './settings.ts';
import { WakeHints } from './wake-hints.ts';

/** Namespace of the objects that tools make. */
const NAMESPACE = 'outrider';

/**
 * Starts the whole product on this machine; everything that was started is registered with `shutdown`.
 * @param onFatal told when it can't go on later: its disk runs full, or its database is gone
 */
export async function startStandalone(
  settings: StandaloneSettings,
  log: Logger,
  shutdown: Shutdown,
  onFatal: (error: Error) => void,
): Promise<Connection> {
  const started = monotonicMs();
  // First the folder: a second run on it is told so, also where the port is the first one's.
  const home = await openHome(settings.home);
  shutdown.add('lock', () => home.release());
  await requireFreePort(settings.port);
  if (settings.kubeconfig) await (await openGivenCluster(settings.kubeconfig, ownRuntime(log))).close();
  const clock = await openClock(home, settings, shutdown);
  const databases = await startDatabases(home.path('postgres'), home.secrets);
  shutdown.add('postgres', () => databases.server.stop());
  watchDatabase(home, databases, shutdown, onFatal);
  const kubeconfig = await startKubernetes(home, settings, databases, log, shutdown);
  const db = new Database({ url: databases.appUrl, max: 6, applicationName: 'outrider-standalone' });
  shutdown.add('database', () => db.close());
  const scrape = new ScrapeTargets(home.path('prometheus'), log);
  const agent = await startNodeAgent(home, kubeconfig, db, clock, log, shutdown, scrape);
  const hints = new WakeHints(databases.appUrl, {
    workspace: (workspaceId) => agent.hint(workspaceId),
    account: () => agent.hint(ACCOUNT_SYNC),
  });
  void hints.run();
  shutdown.add('wake hints', () => hints.stop());
  const components = await startComponents({
    home,
    settings,
    databases,
    clock,
    kubeconfig,
    namespace: NAMESPACE,
    log,
    shutdown,
    agent,
  });
  // Executors end before what they talk to.
  shutdown.add('executors', () => agent.stop());
  scrape.set('mcp-server', { url: components.mcpMetricsUrl, labels: { component: 'mcp-server' } });
  scrape.set('operator', { url: components.operatorMetricsUrl, labels: { component: 'operator' } });
  const owner = await bootstrap({
    file: home.path('bootstrap.json'),
    db,
    clock,
    mcpUrl: components.mcpUrl,
  });
  const connection = describe(home, owner, components, databases, kubeconfig);
  const file = home.path('connection.json');
  await writeConnection(file, connection);
  const runner = new DemoRunner({ home, connection, clock, db, log, save: () => writeConnection(file, connection) });
  clock.whenRehearsal(() => void keepRehearsal(db, log));
  await startControl({ home, clock, db, runner, log, shutdown });
  startSkipper({ home, clock, db, components, runner, log, shutdown });
  const link = await consoleLink(db, components.consoleUrl, owner.workspaceId);
  console.log(banner(connection, home.folder, monotonicMs() - started, link));
  if (settings.demo && home.fresh) void runner.start();
  shutdown.add('demo', () => runner.stop());
  return connection;
}

/** The console's address; while nobody claimed it, the one that makes its first visitor admin of platform and demo workspace. */
async function consoleLink(db: Database, consoleUrl: string, workspaceId: string): Promise<string> {
  const token = await db.tx({ kind: 'platform' }, async (tx) =>
    (await isClaimed(tx)) ? undefined : makeClaim(tx, { id: systemIds.uuid(), workspaces: [workspaceId] }),
  );
  return token === undefined ? consoleUrl : `${consoleUrl}claim/${token}   (works once, within an hour)`;
}

async function openClock(home: Home, settings: StandaloneSettings, shutdown: Shutdown): Promise<ClockAuthority> {
  const clock = await ClockAuthority.open(home.path('clock.json'));
  shutdown.add('clock', () => clock.close());
  if (home.fresh && settings.demo) await clock.startAt(clock.now() - DEMO_SPAN_MS);
  return clock;
}

/** The embedded API server, or the given one. @returns path of the administrator's kubeconfig */
async function startKubernetes(
  home: Home,
  settings: StandaloneSettings,
  databases: HomeDatabases,
  log: Logger,
  shutdown: Shutdown,
): Promise<KubeAccess> {
  const runtime = ownRuntime(log);
  if (settings.kubeconfig) {
    const client = await openGivenCluster(settings.kubeconfig, runtime);
    await setUpCluster(client, NAMESPACE, databases.executorUrl);
    const [admin, operator, mcp] = [settings.kubeconfig, settings.kubeconfig, settings.kubeconfig];
    return { admin, operator, mcp, client, runtime, api: undefined };
  }
  const { kubeTokens } = home.secrets;
  const pool = new pg.Pool({ ...sessionOf(databases.kubeUrl, ADMIN_SESSION), Client: OwnClient, max: 10 });
  pool.on('error', () => undefined);
  shutdown.add('kubernetes objects', () => pool.end());
  const user = (name: string): { user: string; groups: string[] } => ({ user: name, groups: ['system:masters'] });
  const tokens = new Map([
    [kubeTokens.admin, user('admin')],
    [kubeTokens.operator, user('outrider-operator')],
    [kubeTokens.mcp, user('outrider-mcp')],
    [kubeTokens.node, user('outrider-node-agent')],
  ]);
  const certificate = await readCertificate(home.path('kubernetes-certificate.json'));
  const api = await KubeApi.start({ pool, clock: new SystemClock(), log, tokens, certificate });
  shutdown.add('kubernetes api', () => api.stop());
  const server = { server: api.url, authority: certificate.cert, namespace: NAMESPACE };
  const files = {
    admin: home.path('kubeconfig'),
    operator: home.path('kubeconfig.operator'),
    mcp: home.path('kubeconfig.mcp'),
  };
  await writeKubeconfig(files.admin, { ...server, user: 'admin', token: kubeTokens.admin });
  await writeKubeconfig(files.operator, { ...server, user: 'outrider-operator', token: kubeTokens.operator });
  await writeKubeconfig(files.mcp, { ...server, user: 'outrider-mcp', token: kubeTokens.mcp });
  const client = KubeClient.open({ path: files.admin }, runtime);
  await setUpCluster(client, NAMESPACE, databases.executorUrl);
  return { ...files, client, runtime, api };
}

/** The certificate lives as long as the home, so that kubeconfigs that people copied keep working. */
async function readCertificate(file: string): Promise<ServerCertificate> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as ServerCertificate;
  const made = await makeServerCertificate(new SystemClock().now());
  await writeFile(file, JSON.stringify(made), { mode: 0o600 });
  return made;
}

async function startNodeAgent(
  home: Home,
  kube: KubeAccess,
  db: Database,
  clock: ClockAuthority,
  log: Logger,
  shutdown: Shutdown,
  scrape: ScrapeTargets,
): Promise<NodeAgent> {
  const entry = new URL('../../cmd/executor/main.ts', import.meta.url).pathname;
  const agent = new NodeAgent({
    client: kube.client,
    runtime: kube.runtime,
    broker: new LeaseBroker(new LeaseDesk(db, clock), log),
    entry,
    executorUser: await chooseExecutorUser(entry),
    homeNamespace: NAMESPACE,
    logFolder: home.path('logs', 'pods'),
    scrape,
    baseEnv: {
      SANDBOX_API_KEY: home.secrets.sandboxApiKey,
      ...sealingSettings(home.secrets),
      ...outsideSettings(process.env),
      OUTRIDER_CLOCK: clock.address,
      PATH: process.env['PATH'] ?? '',
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    },
  });
  if (kube.api) kube.api.logs = (namespace, pod, request) => agent.logs(namespace, pod, request);
  await agent.start();
  shutdown.add('node agent', () => agent.stop());
  return agent;
}

function describe(
  home: Home,
  owner: Bootstrap,
  components: Components,
  databases: HomeDatabases,
  kube: KubeAccess,
): Connection {
  return {
    mcpUrl: components.mcpUrl,
    ...owner,
    runnerSecret: home.secrets.runnerSecret,
    kubeconfig: kube.admin,
    databaseUrl: databases.ownerUrl,
    metricsUrls: { mcpServer: components.mcpMetricsUrl, operator: components.operatorMetricsUrl },
    sandboxUrl: components.sandboxUrl,
    demo: { state: 'off', summary: null },
  };
}

/** The database knows it too, so that the ledger sends nothing through real accounts. */
async function keepRehearsal(db: Database, log: Logger): Promise<void> {
  try {
    await db.tx({ kind: 'platform' }, markRehearsal);
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the database could not be told that this home is a rehearsal');
  }
}

async function startControl(parts: {
  home: Home;
  clock: ClockAuthority;
  db: Database;
  runner: DemoRunner;
  log: Logger;
  shutdown: Shutdown;
}): Promise<void> {
  const { home, clock, db, runner, log, shutdown } = parts;
  const server = new ControlServer({
    token: home.secrets.controlToken,
    ids: systemIds,
    log,
    clock,
    startDemo: () => runner.startAgain(),
    realAccounts: () => db.tx({ kind: 'platform' }, countRealAccounts),
  });
  const url = await server.listen();
  shutdown.add('control', () => server.close());
  await writeFile(join(home.folder, 'control.json'), JSON.stringify({ url, token: home.secrets.controlToken }), {
    mode: 0o600,
  });
}

function startSkipper(parts: {
  home: Home;
  clock: ClockAuthority;
  db: Database;
  components: Components;
  runner: DemoRunner;
  log: Logger;
  shutdown: Shutdown;
}): void {
  const { home, clock, db, components, runner, log } = parts;
  const skipper = new IdleSkipper({
    clock,
    nextDue: async () => {
      const due = await nextDue(db, components.sandboxUrl, home.secrets.sandboxApiKey);
      const reviewer = runner.reviewerDue;
      return reviewer === null ? due : Math.min(due ?? reviewer, reviewer);
    },
    limit: () => runner.limit,
    log,
  });
  skipper.start();
  parts.shutdown.add('skip-idle', () => skipper.stop());
}

/** Without disk or database nothing can go on; what was committed is there at the next start. */
function watchDatabase(
  home: Home,
  { server }: HomeDatabases,
  shutdown: Shutdown,
  onFatal: (error: Error) => void,
): void {
  const stop = watchSpace([home.folder, server.folder], onFatal);
  shutdown.add('disk watch', stop);
  server.onLost((lastWords) => {
    stop();
    onFatal(
      saysDiskFull(new Error(lastWords))
        ? diskFull(server.folder)
        : new UserError(`PostgreSQL ended by itself. Nothing is lost: run it again. Its last words: ${lastWords}`),
    );
  });
}

/** One line for a failed start. */
export function startFailure(error: unknown, home: string): string {
  if (saysDiskFull(error)) return `Outrider did not start: ${diskFull(home).message}`;
  return `Outrider did not start: ${messageOf(error)}`;
}
