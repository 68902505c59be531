import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { commandBlocks } from '../tools/platform-docs.ts';
import type { Cluster } from './cluster.ts';
import { fixture } from './cluster-fixture.ts';
import { eventually, minutes } from './patient.ts';
import { ALWAYS, API, makeTeam, type Team, workflowOf, workspaceOf } from './people.ts';
import type { Release } from './release.ts';

const KINDS = 'workspaces.outrider.dev,campaigns.outrider.dev,workflows.outrider.dev';
/** What a release is stopped by while it is restored. */
const DEPLOYMENTS = ['deployment/outrider-operator', 'deployment/outrider-mcp-server'];
/** A message of the campaign goes out so long after its lead was let in (real ms): its run lives over the restore. */
const LATER = 30_000;

interface Manifest {
  kind: string;
  metadata: Record<string, unknown> & { name: string; namespace: string };
}

describe('restores on a real cluster, by the commands of docs/backup-restore.md', () => {
  let cluster: Cluster;
  let release: Release;
  let folder: string;
  let jobs = 0;

  before(async function () {
    this.timeout(minutes(30));
    ({ cluster, release } = await fixture(this));
    if (!cluster.own) {
      console.log('    not run: whole clusters are restored only where the suite has one of its own');
      return this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), 'outrider-restore-'));
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    const look = await release.sql('select scope, target, reason from send_freeze').catch(String);
    console.log(`--- freezes: ${JSON.stringify(look)}`);
  });
  after(() => folder && rm(folder, { recursive: true, force: true }));

  /** A line of a page, in the namespace of this release, for this workspace; a Job runs under its name once. */
  const run = (line: string, workspace = ''): Promise<string> => {
    const here = line
      .replaceAll('-n outrider ', `-n ${release.namespace} `)
      .replaceAll('reconcile-1', `reconcile-${jobs}`)
      .replace(/workspace acme|adopt acme/, (words) => words.replace('acme', workspace));
    return cluster.terminal(here, { cwd: folder, timeoutMs: 330_000 });
  };
  /** The block of a case, word for word. @returns what its lines printed */
  const page = async (name: string, workspace?: string): Promise<string[]> => {
    const block = commandBlocks('backup-restore.md').find(({ marker }) => marker === `restore: ${name}`);
    if (!block) throw new Error(`docs/backup-restore.md has no block "restore: ${name}"`);
    const printed: string[] = [];
    for (const line of block.lines) printed.push(await run(line, workspace));
    return printed;
  };
  const backUpObjects = async (): Promise<void> => {
    const lines = commandBlocks('backup-restore.md').flatMap((block) => block.lines);
    const line = lines.find((one) => one.includes('> outrider-objects.yaml'));
    if (!line) throw new Error('docs/backup-restore.md does not back the objects up');
    await run(line);
  };
  const reconcile = async (): Promise<string> => {
    jobs++;
    return (await page('reconcile')).at(-1) ?? '';
  };
  const scale = async (replicas: number): Promise<void> => {
    await release.kubectl('scale', ...DEPLOYMENTS, `--replicas=${replicas}`);
    const wait = replicas > 0 ? ['rollout', 'status', ...DEPLOYMENTS, '--timeout=180s'] : undefined;
    if (wait) await release.kubectl(...wait);
    else await release.kubectl('wait', '--for=delete', 'pod', '-l', OPERATORS, '--timeout=120s');
  };
  const OPERATORS = 'app.kubernetes.io/component in (operator, mcp-server)';
  const frozen = (): Promise<true> =>
    eventually(
      'sends freeze',
      async () => (await release.sql(`select 1 from send_freeze where target = 'restore'`)).length > 0,
      90_000,
    );
  const objects = async (): Promise<Manifest[]> =>
    JSON.parse(await cluster.kubectl(['get', KINDS, '-A', '-o', 'json'])).items as Manifest[];

  /** A cluster that never heard of them: all objects go unseen, and what the operator had noted outside the database. */
  const newCluster = async (): Promise<void> => {
    await scale(0);
    await release.kubectl('delete', 'pod', '-l', 'app.kubernetes.io/component=executor', '--ignore-not-found');
    for (const { kind, metadata } of await objects()) {
      const of = ['-n', metadata.namespace, `${kind.toLowerCase()}s.outrider.dev`, metadata.name];
      await cluster.kubectl(['patch', ...of, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
      await cluster.kubectl(['delete', ...of, '--ignore-not-found']);
    }
    await release.kubectl('delete', 'lease', 'outrider-operator');
  };
  const apply = (items: readonly object[]): Promise<string> =>
    cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });

  /** A lead is let in, the restore happens while its run waits, and it gets its message, once; `more` were let in meanwhile. */
  const survives = async (name: string, restore: (team: Team) => Promise<void>, ...more: string[]): Promise<void> => {
    const team = await makeTeam(release, name);
    await team.greetIn(LATER, 'Grace');
    await restore(team);
    const allReady = [`ows/${team.workspace}`, `ocamp/${team.campaign}`, `owf/${team.workflow}`];
    await release.kubectl('wait', '--for=condition=Ready', ...allReady, '--timeout=120s');
    await team.arrived(1 + more.length, 180_000);
    const texts = ['Grace', ...more].map((first) => `Hello ${first}`);
    expect((await team.messages()).map(({ text }) => text).sort(), 'nobody twice').to.deep.equal(texts.sort());
    const ended = await release.sql(`select end_reason from run where workspace_id = $1 and end_reason ~ 'deleted'`, [
      team.workspace,
    ]);
    expect(ended, 'no run is lost').to.deep.equal([]);
    await release.call('svc_list_workflows', { campaignId: team.campaign });
  };

  it('a new cluster, to which Git applies its manifests', async function () {
    this.timeout(minutes(6));
    await survives('git', async ({ workspace, campaign, workflow }) => {
      await newCluster();
      const spec = { workspaceRef: { name: workspace }, title: 'Pilot', goal: 'meetings', businessHours: ALWAYS };
      const manifests = [
        workspaceOf(workspace),
        { apiVersion: API, kind: 'Campaign', metadata: { name: campaign }, spec },
        workflowOf(workflow, campaign),
      ];
      for (const manifest of manifests) await release.apply(manifest);
      await scale(2);
      await frozen();
      expect(await reconcile()).to.include('sends go on');
    });
  });

  it('a new cluster, to which the backup file is applied', async function () {
    this.timeout(minutes(6));
    await survives('file', async () => {
      await backUpObjects();
      await newCluster();
      await page('file');
      await scale(2);
      await frozen();
      expect(await reconcile()).to.include('sends go on');
    });
  });

  it('a new cluster, whose objects Velero made anew, after a reconciliation that met none of them', async function () {
    this.timeout(minutes(6));
    await survives('velero', async () => {
      const kept = (await objects()).map(({ metadata, ...rest }) => {
        const { name, namespace, labels, annotations, finalizers } = metadata;
        return { ...rest, metadata: { name, namespace, labels, annotations, finalizers } };
      });
      await newCluster();
      await scale(2);
      await frozen();
      expect(await reconcile()).to.include('gone');
      await apply(kept);
    });
  });

  it('objects of which there is no copy come back from their rows, also what the garbage collector took', async function () {
    this.timeout(minutes(6));
    await survives('rows', async ({ workspace, campaign }) => {
      const dead = { apiVersion: API, kind: 'Workspace', name: workspace, uid: '00000000-0000-4000-8000-000000000000' };
      const patch = JSON.stringify({ metadata: { ownerReferences: [dead] } });
      await release.kubectl('patch', `ocamp/${campaign}`, '--type=merge', '-p', patch);
      await eventually(
        'the garbage collector took it, or the operator the reference',
        async () =>
          !(await release.kubectl('get', 'ocamp', campaign, '--ignore-not-found', '-o', 'yaml')).includes('ownerRef'),
      );
      const [listed, applied] = await (async () => {
        await release.kubectl(
          'delete',
          `ows/${workspace}`,
          `ocamp/${campaign}`,
          `owf/${workspace}-hello`,
          '--ignore-not-found',
          '--wait=false',
        );
        await eventually(
          'gone',
          async () => (await release.kubectl('get', 'ows', workspace, '--ignore-not-found')) === '',
        );
        return page('rows', workspace);
      })();
      expect(listed).to.match(new RegExp(`held +workspace ${workspace} `));
      expect(applied).to.include(`${workspace} created`);
    });
  });

  it('a namespace of the same name with a stranger: nothing is inherited before a platform admin confirms', async function () {
    this.timeout(minutes(6));
    const namespace = `${release.namespace}-tenant`;
    await cluster.kubectl(['create', 'namespace', namespace]);
    const team = await makeTeam(release, 'tenant', namespace);
    await team.greetIn(LATER, 'Grace');
    await cluster.kubectl(['delete', 'namespace', namespace, '--timeout=90s']);
    await cluster.kubectl(['create', 'namespace', namespace]);
    const there = release.within(namespace);
    await there.apply(workspaceOf('tenant', { owner: 'stranger@other.example' }));
    const reason = 'jsonpath={.status.conditions[?(@.type=="Stalled")].reason}';
    await eventually('refused', async () => (await there.kubectl('get', 'ows/tenant', '-o', reason)) === 'NameTaken');
    expect(await team.messages()).to.deep.equal([]);
    const [waiting] = await page('adopt', `${namespace}.tenant`);
    expect(waiting).to.include('stranger@other.example');
    await there.kubectl('wait', '--for=condition=Ready', 'ows/tenant', '--timeout=60s');
    await cluster.kubectl(['delete', 'namespace', namespace, '--timeout=90s']);
    expect((await page('confirm')).join()).to.include(`Workspace ${namespace}.tenant is deleted`);
    expect(await team.messages()).to.deep.equal([]);
  });

  const copy = (from: string, to: string): Promise<void> =>
    postgres(cluster, release, (admin) => copyDatabase(admin, from, to));

  it('Postgres of yesterday', async function () {
    this.timeout(minutes(6));
    await survives(
      'postgres',
      async (team) => {
        await copy('outrider', 'yesterday');
        await team.greet('Ada');
        await eventually('hers', async () => (await team.messages()).some(({ text }) => text === 'Hello Ada'), 120_000);
        await copy('yesterday', 'outrider');
        await frozen();
        expect(await reconcile()).to.include('sends go on');
      },
      'Ada',
    );
  });

  for (const both of [false, true]) {
    it(both ? 'both of yesterday' : 'etcd of yesterday', async function () {
      this.timeout(minutes(6));
      await survives(
        both ? 'both' : 'etcd',
        async (team) => {
          if (both) await copy('outrider', 'yesterday');
          await controlPlane(cluster, 'cp -a /run/cluster/state/etcd /run/cluster/state/yesterday');
          const patch = JSON.stringify({ spec: { name: 'Renamed' } });
          await release.kubectl('patch', `owf/${team.workflow}`, '--type=merge', '-p', patch);
          await release.kubectl('wait', '--for=jsonpath={.status.observedGeneration}=2', `owf/${team.workflow}`);
          await team.greet('Ada');
          await eventually(
            'hers',
            async () => (await team.messages()).some(({ text }) => text === 'Hello Ada'),
            120_000,
          );
          const back = 'cd /run/cluster/state && rm -rf etcd && mv yesterday etcd';
          if (both) await copy('yesterday', 'outrider');
          await controlPlane(cluster, back);
          await page('etcd');
          await frozen();
          expect(await reconcile()).to.include('sends go on');
        },
        'Ada',
      );
    });
  }
});

/** What remembers the cluster beside etcd; a restored one wants all of it to begin anew. */
const PARTS = ['kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'kube-apiserver', 'etcd'];

/** Stops the control plane, does something in the node, and starts it again. */
async function controlPlane(cluster: Cluster, command: string): Promise<void> {
  for (const part of PARTS) await cluster.component(part, 'kill');
  await cluster.node(['sh', '-c', command]);
  for (const part of [...PARTS].reverse()) await cluster.component(part, 'start');
  await eventually(
    'the API server',
    async () => (await cluster.kubectl(['get', '--raw', '/readyz'])) === 'ok',
    120_000,
  );
}

/** Work on the server of the development values, on a database beside the product's. */
async function postgres(cluster: Cluster, release: Release, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const encoded = await release.kubectl(
    'get',
    'secret',
    'outrider-database',
    '-o',
    'jsonpath={.data.POSTGRES_PASSWORD}',
  );
  const password = Buffer.from(encoded, 'base64').toString('utf8');
  const { port, stop } = await cluster.forward(release.namespace, 'service/outrider-postgres', 5432);
  const admin = new pg.Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
    stop();
  }
}

/** Puts a copy of one database in the place of another; everybody who is connected to either is sent away. */
async function copyDatabase(admin: pg.Client, from: string, to: string): Promise<void> {
  await admin.query(`alter database ${from} allow_connections false`);
  await eventually('all are away', async () => {
    const asked = await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      from,
    ]);
    return asked.rowCount === 0;
  });
  await admin.query(`drop database if exists ${to} with (force)`);
  await admin.query(`create database ${to} template ${from}`);
  await admin.query(`alter database ${from} allow_connections true`);
  await admin.query(`alter database ${to} allow_connections true`);
}
