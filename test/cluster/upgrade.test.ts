import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SystemClock } from '../../pkg/base/clock.ts';
import { PROGRAM_VERSION } from '../../pkg/base/program-version.ts';
import { checkOut, lastReleased, type Released } from '../tools/released-program.ts';
import type { Cluster } from './cluster.ts';
import { fixture } from './cluster-fixture.ts';
import { removeDefinitions } from './definitions.ts';
import { loadImageOf } from './images.ts';
import { killLeader } from './leader.ts';
import { eventually, minutes } from './patient.ts';
import { executorOf, makeTeam, type Team } from './people.ts';
import { CHART, install, type Release } from './release.ts';

const TEAMS = ['cat', 'dog', 'emu'];
/** Each team greets somebody every so often; an account writes at most 50 messages a day. */
const PACE_MS = 8_000;
const MOST = 40;
const IMAGE = 'outrider.dev/outrider';
/** Tag of the image of before: between two releases this code has the version of the last one. */
const BEFORE = 'before';
const clock = new SystemClock();
const ROLL = (mark: string): Record<string, string> => ({
  'executor.env.ROLLED': mark,
  'operator.podAnnotations.rolled': mark,
  'mcpServer.podAnnotations.rolled': mark,
});

describe('a release that changes', () => {
  let cluster: Cluster;
  let release: Release;
  let teams: Team[];
  let chart: string;

  /** What is upgraded from; on a cluster that others use, this version itself. */
  let last: Released | undefined;

  before(async function () {
    this.timeout(minutes(30));
    ({ cluster, release } = await fixture(this));
    chart = await nextChart();
    if (cluster.own) {
      last = await lastReleased();
      console.log(`    from version ${last.version}, commit ${last.commit}`);
      await release.close();
      await removeDefinitions(cluster);
      release = await installLast(cluster, last);
    } else console.log('    from this version itself: the definitions of a cluster that others use are not changed');
    teams = [];
    for (const name of TEAMS) teams.push(await makeTeam(release, name));
    for (const team of teams) await team.greet('Grace');
    for (const team of teams) await team.arrived(1, 120_000);
  });
  after(() => chart && rm(chart, { recursive: true, force: true }));

  const pods = async (): Promise<Map<string, string>> => {
    const found = await release.get<{ items: { metadata: { uid: string; annotations: Record<string, string> } }[] }>(
      'pods',
      '-l',
      'outrider.dev/role=workspace',
    );
    return new Map(
      found.items.map(({ metadata }) => [metadata.annotations['outrider.dev/workspace'] ?? '', metadata.uid]),
    );
  };
  /** Of what a release replaces: the sandbox keeps its image with its network. */
  const images = async (): Promise<string[]> => {
    const replaced = ['pods', '-l', 'app.kubernetes.io/component!=sandbox'];
    const text = await release.kubectl('get', ...replaced, '-o', 'jsonpath={.items[*].spec.containers[*].image}');
    return [...new Set(text.split(' '))].filter((image) => image.includes('outrider:')).sort();
  };
  /** The pods of the chart's own stores, which keep their data in themselves. */
  const stores = async (of = release): Promise<string[]> => {
    const some = ['pods', '-l', 'app.kubernetes.io/component in (postgres, redis, sandbox)'];
    const text = await of.kubectl('get', ...some, '-o', 'jsonpath={.items[*].metadata.uid}');
    return text.split(' ').sort();
  };
  const replaced = (old: Map<string, string>): Promise<true> =>
    eventually(
      'no executor of before is there',
      async () => {
        const now = [...(await pods()).values()];
        return [...old.values()].every((uid) => !now.includes(uid));
      },
      300_000,
    );
  const once = async (): Promise<void> => {
    for (const [index, team] of teams.entries()) {
      const names = greeted[index] ?? [];
      // What came up while an executor was away waits for the account's pause between two messages.
      await team.arrived(names.length, 300_000);
      expect((await team.messages()).map(({ text }) => text).sort(), team.workspace).to.deep.equal(
        names.map((name) => `Hello ${name}`).sort(),
      );
    }
  };
  /** Whom each team greeted so far. */
  let greeted: string[][] = [];
  /** The pods of the stores before the upgrade. */
  let born: string[];

  it('an upgrade with campaigns in flight, its leader killed in the middle, replaces executors one at a time; nobody is messaged twice', async function () {
    this.timeout(minutes(30));
    const old = await pods();
    born = await stores();
    expect([...old.keys()]).to.include.members(TEAMS.map((name) => `${release.namespace}/${name}`));
    await release.sandbox('POST', 'faults', [{ action: 'message', kind: 'slow', rate: 1, ms: 2_000 }]);
    const look = watchAway(cluster, release.namespace);
    const done = new AbortController();
    const work = Promise.all(teams.map((team) => keepWorking(team, done.signal)));
    // Waited for below, also when the upgrade fails.
    work.catch(() => undefined);
    try {
      await release.upgrade({ ...ROLL('one'), ...(last ? { 'image.tag': PROGRAM_VERSION } : {}) }, chart);
      if (cluster.own) {
        await eventually('the first is replaced', () => look.seen().length > 0, 120_000);
        const killed = await killLeader(cluster, release);
        console.log(`    the leader ${killed.split('_')[0]} was killed while ${look.seen().join(', ')} was replaced`);
      }
      await replaced(old);
    } finally {
      done.abort();
    }
    greeted = await work;
    await release.sandbox('POST', 'faults', []);
    await once();
    if (last) expect(await images()).to.deep.equal([`${IMAGE}:${PROGRAM_VERSION}`]);
    look.stop();
    const { most, seen } = { most: look.most(), seen: look.seen() };
    expect(seen, 'workspaces that were seen away').to.include.members(TEAMS);
    expect(most, 'executors away at a time').to.equal(1);
    const sent = greeted.map((names) => names.length - 1);
    console.log(`    ${sent.join(', ')} messages of ${TEAMS.length} workspaces left during the upgrade`);
  });

  it('the definitions were upgraded with it: a field of the next version is taken and kept', async function () {
    if (!cluster.own) {
      console.log('    not run: the definitions of a cluster that others use are not changed');
      return this.skip();
    }
    const patch = JSON.stringify({ spec: { colour: 'green' } });
    await release.kubectl('patch', 'ocamp/cat-pilot', '--type=merge', '-p', patch);
    expect(await release.kubectl('get', 'ocamp/cat-pilot', '-o', 'jsonpath={.spec.colour}')).to.equal('green');
    await release.kubectl('wait', '--for=condition=Ready', 'ocamp/cat-pilot', '--timeout=60s');
  });

  it('the chart’s own stores keep their pods, and with them their data', async () => {
    expect(born).to.have.length.of.at.least(2);
    expect(await stores()).to.deep.equal(born);
  });

  it('a rollback brings back what ran before, definitions included', async function () {
    this.timeout(minutes(25));
    const old = await pods();
    await cluster.helm(['rollback', 'outrider', '-n', release.namespace, '--timeout', '4m'], { timeoutMs: 300_000 });
    await replaced(old);
    for (const team of teams) await team.greet('Mary');
    for (const names of greeted) names.push('Mary');
    await once();
    const pod = await executorOf(release, 'cat');
    if (last) expect(await images()).to.deep.equal([`${IMAGE}:${BEFORE}`]);
    expect(await release.kubectl('get', 'pod', pod, '-o', 'json')).to.not.include('ROLLED');
    expect(await stores()).to.deep.equal(born);
    const definition = await release.kubectl('get', 'crd', 'campaigns.outrider.dev', '-o', 'json');
    if (cluster.own) expect(definition).to.not.include('colour');
  });

  it('uninstalled, no pod stays and no object waits for an operator that is gone', async function () {
    this.timeout(minutes(8));
    await cluster.helm(['uninstall', 'outrider', '-n', release.namespace, '--wait', '--timeout', '4m'], {
      timeoutMs: 300_000,
    });
    await eventually('no pod', async () => (await release.kubectl('get', 'pods', '-o', 'name')) === '', 90_000);
    const kept = await release.get<{ items: { metadata: { finalizers?: string[] } }[] }>('ows,ocamp,owf');
    expect(kept.items).to.not.have.length(0);
    expect(kept.items.flatMap(({ metadata }) => metadata.finalizers ?? [])).to.deep.equal([]);
    await release.kubectl('delete', 'ows', '--all', '--timeout=60s');
    // Campaigns and workflows go with their workspace by Kubernetes' own collector, which looks for new definitions every
    // 30 s, and here they have just changed.
    await eventually(
      'nothing of the product is left',
      async () => {
        const left = await release.kubectl('get', 'outrider', '--ignore-not-found');
        if (left !== '') throw new Error(left);
        return true;
      },
      180_000,
    );
    await cluster.kubectl(['delete', 'namespace', release.namespace, '--timeout=120s'], { timeoutMs: 150_000 });
    // They are those of the version before since the rollback.
    if (cluster.own) await removeDefinitions(cluster);
  });

  it('Helm 3 installs, tests, upgrades, rolls back and removes it too', async function () {
    this.timeout(minutes(15));
    const by3: Cluster = { ...cluster, helm: (args, options) => cluster.helm(args, { ...options, major: 3 }) };
    const elder = await elderChart();
    const other = await install(by3, [], elder).finally(() => rm(elder, { recursive: true, force: true }));
    const logLevel = (): Promise<string> =>
      other.kubectl(
        'get',
        'deployment/outrider-mcp-server',
        '-o',
        'jsonpath={.spec.template.spec.containers[0].env[?(@.name=="LOG_LEVEL")].value}',
      );
    try {
      const report = await by3.helm(['test', other.name, '-n', other.namespace, '--timeout', '2m']);
      expect(report).to.match(/Phase:\s+Succeeded/);
      const kept = await stores(other);
      await other.upgrade({ 'mcpServer.logLevel': 'warn', 'executor.podLabels.team': 'growth' });
      expect(await logLevel()).to.equal('warn');
      expect(await stores(other)).to.deep.equal(kept);
      const team = await makeTeam(other, 'three');
      await team.greet('Grace');
      await team.arrived(1, 120_000);
      const labels = 'jsonpath={.metadata.labels.team}';
      expect(await other.kubectl('get', 'pod', await executorOf(other, 'three'), '-o', labels)).to.equal('growth');
      await by3.helm(['rollback', other.name, '-n', other.namespace, '--timeout', '4m'], { timeoutMs: 300_000 });
      expect(await logLevel()).to.equal('info');
    } finally {
      await other.close();
    }
  });
});

/** An installation of the version before by its own chart and image, built from its commit. */
async function installLast(cluster: Cluster, last: Released): Promise<Release> {
  const program = await checkOut(last.commit);
  try {
    await loadImageOf(cluster, program, `${IMAGE}:${BEFORE}`);
    return await install(cluster, ['--set', `image.tag=${BEFORE}`], join(program.folder, 'charts/outrider'));
  } finally {
    await program.remove();
  }
}

/** A chart of the next version: Campaigns have a field more. */
async function nextChart(): Promise<string> {
  const folder = await copyChart();
  const file = join(folder, 'files/crds/outrider.dev_campaigns.yaml');
  const text = await readFile(file, 'utf8');
  const spec = /\n( +)title:\n/.exec(text);
  if (!spec) throw new Error('the definition of Campaigns has no title');
  const field = `\n${spec[1]}colour: { type: string, maxLength: 20 }`;
  await writeFile(file, text.slice(0, spec.index) + field + text.slice(spec.index));
  return folder;
}

/** A chart whose stores have the labels of their own version, as those of a chart had that did not keep them the same. */
async function elderChart(): Promise<string> {
  const folder = await copyChart();
  const file = join(folder, 'templates/dev.yaml');
  const text = await readFile(file, 'utf8');
  const born = text.replace('"outrider-0.1.0"', '"outrider-0.1.9"').replace('"0.1.0"', '"0.1.9"');
  if (born === text) throw new Error('the pods of the stores have no labels of a version');
  await writeFile(file, born);
  return folder;
}

async function copyChart(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-chart-'));
  await cp(CHART, folder, { recursive: true });
  return folder;
}

/**
 * Greets one person after the other, each when the one before has been written to. The MCP server is replaced too: a call
 * that met its end is made again, and changes nothing when it had worked.
 * @returns whom the team greeted
 */
async function keepWorking(team: Team, stop: AbortSignal): Promise<string[]> {
  const done = ['Grace'];
  while (!stop.aborted && done.length < MOST) {
    const [name, begun] = [`Kim${done.length}`, clock.now()];
    await eventually(`${team.workspace} greets ${name}`, () => team.greet(name).then(() => true), 120_000);
    done.push(name);
    const answered = async (): Promise<boolean> => stop.aborted || (await team.messages()).length >= done.length;
    await eventually(`${team.workspace} wrote to ${name}`, answered, 600_000);
    await clock.sleep(Math.max(0, PACE_MS - (clock.now() - begun)), stop).catch(() => undefined);
  }
  return done;
}

/** Follows the executors' states as the operator tells them: away is who drains until it is at work or not needed. */
function watchAway(cluster: Cluster, namespace: string): { seen(): string[]; most(): number; stop(): void } {
  const away = new Set<string>();
  const seen = new Set<string>();
  let most = 0;
  const state = 'jsonpath={.metadata.name} {.status.executor.state}{"\\n"}';
  const stop = cluster.follow(['-n', namespace, 'get', 'ows', '-w', '-o', state], (line) => {
    const [name = '', said = ''] = line.split(' ');
    if (said === 'Draining') {
      away.add(name);
      seen.add(name);
    }
    if (said === 'Running' || said === 'Idle') away.delete(name);
    most = Math.max(most, away.size);
  });
  return { seen: () => [...seen], most: () => most, stop };
}
