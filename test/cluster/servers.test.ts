import { expect } from 'chai';
import { SystemClock } from '../../pkg/base/clock.ts';
import type { Cluster } from './cluster.ts';
import { fixture } from './cluster-fixture.ts';
import { killLeader, leaderOf } from './leader.ts';
import { eventually, minutes } from './patient.ts';
import { executorOf, makeTeam, type Team, workspaceOf } from './people.ts';
import type { Release } from './release.ts';

/** A killed server is left dead until its absence was felt: every request fails. */
const CLIENT = ['get', '--raw', '/readyz', '--request-timeout=3s'];

describe('parts of the cluster that fail', () => {
  let cluster: Cluster;
  let release: Release;
  let team: Team;

  before(async function () {
    this.timeout(minutes(30));
    ({ cluster, release } = await fixture(this));
    if (!cluster.own) {
      console.log(
        '    not run: nodes are drained and servers restarted only on a cluster of real binaries of the suite’s own',
      );
      return this.skip();
    }
    team = await makeTeam(release, 'steady');
    await team.greet('Grace');
    await team.arrived(1, 120_000);
  });

  const answers = (): Promise<boolean> =>
    cluster.kubectl(CLIENT).then(
      () => true,
      () => false,
    );
  const once = async (...names: string[]): Promise<void> => {
    await team.arrived(names.length, 180_000);
    expect((await team.messages()).map(({ text }) => text).sort()).to.deep.equal(
      names.map((name) => `Hello ${name}`).sort(),
    );
  };
  const ready = (name: string): Promise<string> =>
    release.kubectl('wait', '--for=condition=Ready', `ows/${name}`, '--timeout=120s');
  const leader = (): Promise<string> => leaderOf(release);

  it('a drained node’s executors say that no node takes them, and go on when one does', async () => {
    const drain = ['drain', 'node1', '--force', '--delete-emptydir-data', '--timeout=120s'];
    const [pod, uid] = [await executorOf(release, 'steady'), '{.metadata.uid}'];
    const before = await release.kubectl('get', 'pod', pod, '-o', `jsonpath=${uid}`);
    try {
      await cluster.kubectl([...drain, '--pod-selector=app.kubernetes.io/component=executor'], { timeoutMs: 150_000 });
      expect(await release.kubectl('get', 'pod', pod, '-o', `jsonpath=${uid}`, '--ignore-not-found')).to.not.equal(
        before,
      );
      await team.greet('Ada');
      const condition = 'jsonpath={.status.conditions[?(@.type=="ExecutorAvailable")].reason}';
      await eventually(
        'the reason on the Workspace',
        async () => (await release.kubectl('get', 'ows/steady', '-o', condition)) === 'Unschedulable',
        90_000,
      );
      expect(await release.kubectl('get', 'ows/steady', '-o', 'jsonpath={.status.executor.state}')).to.not.equal(
        'Running',
      );
    } finally {
      await cluster.kubectl(['uncordon', 'node1']);
    }
    await once('Grace', 'Ada');
  });

  it('the leader killed: the standby takes over within the lease, and work goes on', async () => {
    const since = performance.now();
    const before = await killLeader(cluster, release);
    await eventually(
      'another leader',
      async () => {
        const now = await leader();
        return now !== '' && now !== before;
      },
      60_000,
    );
    console.log(`    another leader after ${((performance.now() - since) / 1_000).toFixed(1)} s`);
    await release.apply(workspaceOf('after-leader'));
    await ready('after-leader');
    await team.greet('Mary');
    await once('Grace', 'Ada', 'Mary');
  });

  it('the operator cut off from the API server without a word sees afterwards what it missed', async () => {
    const pods = await release.get<{ items: { status: { podIP: string } }[] }>(
      'pods',
      '-l',
      'app.kubernetes.io/component=operator',
    );
    const addresses = pods.items.map(({ status }) => status.podIP).join(', ');
    const nft = (rules: string): Promise<string> => cluster.node(['sh', '-c', `nft '${rules}'`]);
    await nft(
      `add table ip cut; add chain ip cut input { type filter hook input priority 0; }; add rule ip cut input ip saddr { ${addresses} } ip daddr 10.99.0.2 drop`,
    );
    try {
      await release.apply(workspaceOf('unseen'));
      const before = await leader();
      // Nobody can renew the Lease: the one who led is no leader any more when its time is over.
      await eventually('the lease runs out', async () => leaseAge(release).then((ms) => ms > 16_000), 60_000);
      expect(await leader()).to.equal(before);
      expect(await release.kubectl('get', 'ows/unseen', '-o', 'jsonpath={.status}')).to.equal('');
    } finally {
      await nft('delete table ip cut');
    }
    await ready('unseen');
  });

  for (const dead of [['kube-apiserver'], ['etcd'], ['etcd', 'kube-apiserver']]) {
    it(`${dead.join(' and ')} killed and started again: nothing is lost, nothing sent twice`, async () => {
      const already = (await team.messages()).map(({ text }) => text.replace('Hello ', ''));
      const name = `Eve${dead.map((one) => one.length).join('')}`;
      await team.greet(name);
      for (const one of dead) await cluster.component(one, 'kill');
      await eventually('nobody answers', async () => !(await answers()), 30_000);
      for (const one of dead) await cluster.component(one, 'start');
      await eventually('the API answers', answers, 120_000);
      const made = `after-${dead.map((one) => one.replace('kube-', '')).join('-')}`;
      await eventually('a write succeeds', () => release.apply(workspaceOf(made)).catch(() => false as const), 60_000);
      await ready(made);
      await once(...already, name);
    });
  }

  it('the kubelet dead and its pod deleted by force: two pods for a while, each message once', async () => {
    const already = (await team.messages()).map(({ text }) => text.replace('Hello ', ''));
    const pod = await executorOf(release, 'steady');
    const uidOf = (): Promise<string> =>
      release.kubectl('get', 'pod', pod, '-o', 'jsonpath={.metadata.uid}', '--ignore-not-found');
    const before = await uidOf();
    // Due while nobody reaches anything through the kubelet: the first container still runs then.
    await team.greetIn(12_000, 'Joan');
    await cluster.component('kubelet', 'kill');
    try {
      await release.kubectl('delete', 'pod', pod, '--grace-period=0', '--force');
      await eventually(
        'the next pod',
        async () => {
          const now = await uidOf();
          return now !== '' && now !== before;
        },
        120_000,
      );
    } finally {
      await cluster.component('kubelet', 'start');
    }
    await once(...already, 'Joan');
    const rows = await release.sql(
      `select state, count(*)::int as count from send where workspace_id = 'steady' group by state`,
    );
    expect(rows).to.deep.equal([{ state: 'confirmed', count: already.length + 1 }]);
  });
});

/** Real ms since the leader renewed its Lease, by this machine's clock (the cluster runs on it). */
async function leaseAge(release: Release): Promise<number> {
  const renewed = await release.kubectl('get', 'lease', 'outrider-operator', '-o', 'jsonpath={.spec.renewTime}');
  return new SystemClock().now() - Date.parse(renewed);
}
