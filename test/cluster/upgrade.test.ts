import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../tools/kube.ts';
import type { Cluster } from './cluster.ts';
import { executorOf, makeTeam, type Team } from './people.ts';
import { CHART, type Release } from './release.ts';
import { stage } from './stage.ts';

const TEAMS = ['cat', 'dog', 'emu'];
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

  before(async function () {
    this.timeout(1_800_000);
    ({ cluster, release } = await stage());
    chart = await nextChart();
    teams = [];
    for (const name of TEAMS) teams.push(await makeTeam(release, name));
    for (const team of teams) await team.greet('Grace');
    for (const team of teams) await team.arrived(1, 120_000);
  });
  after(() => chart && rm(chart, { recursive: true, force: true }));

  const uids = async (): Promise<string[]> => {
    const pods = await Promise.all(TEAMS.map((name) => executorOf(release, name)));
    return Promise.all(
      pods.map((pod) => release.kubectl('get', 'pod', pod, '-o', 'jsonpath={.metadata.uid}', '--ignore-not-found')),
    );
  };
  const allNew = (old: string[]): Promise<true> =>
    eventually(
      'every executor was replaced and is at work',
      async () => {
        const now = await uids();
        if (now.some((uid, at) => uid === '' || uid === old[at])) return false;
        const states = await Promise.all(
          TEAMS.map((name) => release.kubectl('get', 'ows', name, '-o', 'jsonpath={.status.executor.state}')),
        );
        return states.every((state) => state === 'Running');
      },
      240_000,
    );
  const each = async (...names: string[]): Promise<void> => {
    for (const team of teams) {
      await team.arrived(names.length, 180_000);
      expect(
        (await team.messages()).map(({ text }) => text),
        team.workspace,
      ).to.have.members(names.map((name) => `Hello ${name}`));
    }
  };

  it('an upgrade with campaigns in flight replaces executors one at a time; nobody is messaged twice', async function () {
    this.timeout(600_000);
    const old = await uids();
    await release.sandbox('POST', 'faults', [{ action: 'message', kind: 'slow', rate: 1, ms: 3_000 }]);
    const look = watchAway(cluster, release.namespace);
    for (const team of teams) await team.greet('Ada');
    await release.upgrade(ROLL('one'), chart);
    await allNew(old);
    await release.sandbox('POST', 'faults', []);
    await each('Grace', 'Ada');
    const { most, seen } = look.stop();
    expect(seen, 'workspaces that were seen away').to.have.members(TEAMS);
    expect(most, 'executors away at a time').to.equal(1);
  });

  it('the definitions were upgraded with it: a field of the next version is taken and kept', async function () {
    if (!cluster.own) return this.skip();
    const patch = JSON.stringify({ spec: { colour: 'green' } });
    await release.kubectl('patch', 'ocamp/cat-pilot', '--type=merge', '-p', patch);
    expect(await release.kubectl('get', 'ocamp/cat-pilot', '-o', 'jsonpath={.spec.colour}')).to.equal('green');
    await release.kubectl('wait', '--for=condition=Ready', 'ocamp/cat-pilot', '--timeout=60s');
  });

  it('a rollback brings back what ran before, definitions included', async function () {
    this.timeout(600_000);
    const old = await uids();
    await cluster.helm(['rollback', 'outrider', '-n', release.namespace, '--timeout', '4m'], { timeoutMs: 300_000 });
    await allNew(old);
    const pod = await executorOf(release, 'cat');
    expect(await release.kubectl('get', 'pod', pod, '-o', 'json')).to.not.include('ROLLED');
    for (const team of teams) await team.greet('Mary');
    await each('Grace', 'Ada', 'Mary');
  });

  it('uninstalled, no pod stays and no object waits for an operator that is gone', async function () {
    this.timeout(300_000);
    await cluster.helm(['uninstall', 'outrider', '-n', release.namespace, '--wait', '--timeout', '4m'], {
      timeoutMs: 300_000,
    });
    await eventually('no pod', async () => (await release.kubectl('get', 'pods', '-o', 'name')) === '', 90_000);
    const kept = await release.get<{ items: { metadata: { finalizers?: string[] } }[] }>('ows,ocamp,owf');
    expect(kept.items).to.not.have.length(0);
    expect(kept.items.flatMap(({ metadata }) => metadata.finalizers ?? [])).to.deep.equal([]);
    await release.kubectl('delete', 'ows', '--all', '--timeout=60s');
    expect(await release.kubectl('get', 'outrider', '--ignore-not-found')).to.equal('');
    await cluster.kubectl(['delete', 'namespace', release.namespace, '--timeout=120s'], { timeoutMs: 150_000 });
  });
});

/** A chart of the next version: Campaigns have a field more. */
async function nextChart(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-chart-'));
  await cp(CHART, folder, { recursive: true });
  const file = join(folder, 'files/crds/outrider.dev_campaigns.yaml');
  const text = await readFile(file, 'utf8');
  const spec = /\n( +)title:\n/.exec(text);
  if (!spec) throw new Error('the definition of Campaigns has no title');
  const field = `\n${spec[1]}colour: { type: string, maxLength: 20 }`;
  await writeFile(file, text.slice(0, spec.index) + field + text.slice(spec.index));
  return folder;
}

/** Follows the executors' states as the operator tells them. */
function watchAway(cluster: Cluster, namespace: string): { stop(): { most: number; seen: string[] } } {
  const away = new Set<string>();
  const seen = new Set<string>();
  let most = 0;
  const state = 'jsonpath={.metadata.name} {.status.executor.state}{"\\n"}';
  const stop = cluster.follow(['-n', namespace, 'get', 'ows', '-w', '-o', state], (line) => {
    const [name = '', said = ''] = line.split(' ');
    if (!TEAMS.includes(name)) return;
    if (said === 'Running') away.delete(name);
    else {
      away.add(name);
      seen.add(name);
    }
    most = Math.max(most, away.size);
  });
  return {
    stop() {
      stop();
      return { most, seen: [...seen] };
    },
  };
}
