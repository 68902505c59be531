import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type CommandBlock, commandBlocks, PAGES } from '../tools/platform-docs.ts';
import type { Cluster } from './cluster.ts';
import { fixture } from './cluster-fixture.ts';
import { removeDefinitions } from './definitions.ts';
import { OLD_POSTGRES_IMAGE, POSTGRES_IMAGE } from './dev-images.ts';
import { loadOldPostgres } from './images.ts';
import { minutes } from './patient.ts';
import { CHART } from './release.ts';

const EXAMPLE = new URL('../../docs/examples/workspace.yaml', import.meta.url).pathname;
const HOST = 'postgres.database.svc:5432';

/** A bench that takes half an hour is run by the one who wants its figures. */
const LEFT_OUT = /^make bench/;

/** Blocks that need a cluster in the order of a release's life: what removes it comes last. */
function blocks(): CommandBlock[] {
  const all = PAGES.flatMap(commandBlocks).filter(({ marker }) => marker === 'needs: cluster');
  const some = all.filter(({ lines }) => !lines.some((line) => LEFT_OUT.test(line)));
  const removes = ({ lines }: CommandBlock): boolean => lines.some((line) => line.startsWith('helm uninstall'));
  return [...some.filter((block) => !removes(block)), ...some.filter(removes)];
}

/** What the page says is refused. */
const NO = /can-i update workspaces.outrider.dev\/platform/;
/** What a line is to print, besides ending well. */
const PRINTS: [RegExp, RegExp][] = [
  [/FIRST_KEY/, /^csu_[0-9a-f]{32}$/],
  [/^helm test/, /Phase:\s+Succeeded/],
  [/can-i update workflows/, /^yes/],
  [/job\/doctor-1/, /^ok {3}the schema is up to date$/m],
  [NO, /^no/],
];

describe('the pages for platform engineers, command by command', () => {
  let cluster: Cluster;
  let folder: string;
  let old = false;

  before(async function () {
    this.timeout(minutes(30));
    const opened = await fixture(this);
    cluster = opened.cluster;
    if (!cluster.own) {
      console.log(
        '    not run: the commands of the pages are for a cluster without Outrider, so for one of the suite’s own',
      );
      return this.skip();
    }
    await opened.release.close();
    await removeDefinitions(cluster);
    old = await loadOldPostgres(cluster);
    await prepare(cluster, old ? OLD_POSTGRES_IMAGE : POSTGRES_IMAGE);
    folder = await mkdtemp(join(tmpdir(), 'outrider-walkthrough-'));
    await symlink(join(CHART, '..'), join(folder, 'charts'));
    await symlink(join(CHART, '../../docs'), join(folder, 'docs'));
    const addresses = {
      SUPERUSER_DATABASE_URL: `postgres://postgres:super@${HOST}/postgres`,
      OWNER_DATABASE_URL: `postgres://outrider_owner:own@${HOST}/outrider`,
      APP_DATABASE_URL: `postgres://outrider_app:app@${HOST}/outrider`,
      EXECUTOR_DATABASE_URL: `postgres://outrider_executor:executor@${HOST}/outrider`,
    };
    const lines = Object.entries(addresses).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(folder, 'outrider-db.env'), lines.join(''));
  });
  after(() => folder && rm(folder, { recursive: true, force: true }));
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    const look = (line: string): Promise<string> => cluster.terminal(line).catch((error: Error) => error.message);
    console.log(await look('kubectl -n outrider get pods,jobs -o wide'));
    console.log(await look('kubectl -n outrider get events --sort-by=.lastTimestamp | tail -25'));
    console.log(
      await look('kubectl -n outrider logs -l app.kubernetes.io/name=outrider --all-containers --prefix --tail=8'),
    );
  });

  /** One line in a checkout. @param login whose database it is backed up from @returns what it printed */
  const run = async (line: string, login = 'postgres:super'): Promise<string> => {
    const { port, stop } = line.startsWith('pg_dump')
      ? await cluster.forward('database', 'deployment/postgres', 5432)
      : { port: 0, stop: () => undefined };
    const env = { BACKUP_DATABASE_URL: `postgres://${login}@127.0.0.1:${port}/outrider` };
    try {
      return await cluster.terminal(line, { cwd: folder, env, timeoutMs: 400_000 });
    } finally {
      stop();
    }
  };

  for (const { page, lines } of blocks()) {
    for (const line of lines) {
      it(`${page}: ${line.slice(0, 100)}`, async function () {
        this.timeout(minutes(8));
        if (line.startsWith('pg_dump') && !old) {
          console.log('      not run: pg_dump must not be older than the server; install Debian’s postgresql');
          return this.skip();
        }
        // kubectl ends badly where the answer is no.
        const text = await run(NO.test(line) ? `${line} || true` : line);
        const [, printed] = PRINTS.find(([command]) => command.test(line)) ?? [];
        if (printed) expect(text).to.match(printed);
        await afterwards(line);
      });
    }
  }

  /** What else the page says of a line. */
  const afterwards = async (line: string): Promise<void> => {
    if (line.startsWith('helm install')) await useIt(cluster);
    if (!line.startsWith('pg_dump')) return;
    const refused = await run(line.replace('outrider.dump', 'owner.dump'), 'outrider_owner:own').catch(String);
    expect(refused).to.match(/row-level security/);
  };

  it('what was backed up is there, dashboards and monitors were installed, and nothing waits after the removal', async () => {
    const objects = await readFile(join(folder, 'outrider-objects.yaml'), 'utf8');
    expect(objects).to.include('name: acme-spring');
    if (old) {
      const table = await cluster.terminal('pg_restore --list outrider.dump', { cwd: folder });
      expect(table).to.match(/TABLE DATA outrider campaign /);
    }
    const kept = await cluster.kubectl([
      '-n',
      'outrider',
      'get',
      'ows,ocamp,owf',
      '-o',
      'jsonpath={.items[*].metadata}',
    ]);
    expect(kept).to.include('acme-spring');
    expect(kept).to.not.include('finalizers');
    expect(await cluster.kubectl(['-n', 'outrider', 'get', 'deployments', '-o', 'name'])).to.equal('');
  });
});

/** Objects as a GitOps repository holds them: they are in force. */
async function useIt(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['-n', 'outrider', 'apply', '-f', EXAMPLE]);
  const all = ['ows/acme', 'ocamp/acme-spring', 'owf/acme-first-contact'];
  await cluster.kubectl(['-n', 'outrider', 'wait', '--for=condition=Ready', ...all, '--timeout=60s']);
}

/** What the pages take for granted: a Postgres of the platform, a tenant's namespace, the Prometheus operator's kinds. */
async function prepare(cluster: Cluster, image: string): Promise<void> {
  const apply = (items: object[]): Promise<string> =>
    cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
  const namespaces = ['database', 'tenant-a'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  await apply([...namespaces, ...['ServiceMonitor', 'PodMonitor', 'PrometheusRule'].map(monitoringKind)]);
  const labels = { app: 'postgres' };
  const env = [
    { name: 'POSTGRES_PASSWORD', value: 'super' },
    { name: 'PGDATA', value: '/data/pgdata' },
  ];
  const container = {
    name: 'postgres',
    image,
    env,
    readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
    securityContext: { runAsUser: 999 },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  };
  const spec = {
    containers: [container],
    volumes: [{ name: 'data', emptyDir: {} }],
    securityContext: { fsGroup: 999 },
  };
  const metadata = { name: 'postgres', namespace: 'database' };
  await apply([
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: 5432 }] } },
  ]);
  await cluster.kubectl(['-n', 'database', 'rollout', 'status', 'deployment/postgres', '--timeout=120s']);
}

function monitoringKind(kind: string): object {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
