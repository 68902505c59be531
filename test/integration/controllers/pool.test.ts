import { expect } from 'chai';
import { every } from '../../../pkg/base/clock.ts';
import type { ExecutorMode } from '../../../pkg/domain/executor-mode.ts';
import { PODS } from '../../../pkg/kube/resources.ts';
import type { LeaseReply } from '../../../pkg/store/leases/lease-desk.ts';
import { LeaseDesk } from '../../../pkg/store/leases/lease-desk.ts';
import { renewClaims } from '../../../pkg/store/leases/renewals.ts';
import { wakeWorkspace } from '../../../pkg/store/runs/wake.ts';
import { ACME, fixtureOf, NAMESPACE } from '../../fixtures/controllers/operator-fixture.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

type Claimed = Extract<LeaseReply, { type: 'claimed' }>;

/** A process of the pool, as far as the operator sees it: it asks whom it serves, claims them, and gives back whom it serves no more. */
class Member {
  readonly #desk: LeaseDesk;
  readonly #cluster: TestCluster;
  readonly identity: { podUid: string; role: 'pool'; member: string };
  readonly held = new Map<string, Claimed>();
  #stop: (() => void) | undefined;

  constructor(cluster: TestCluster, member: string, podUid: string) {
    this.#cluster = cluster;
    this.#desk = new LeaseDesk(cluster.db, cluster.clock);
    this.identity = { podUid, role: 'pool', member };
  }

  async seats(): Promise<string[]> {
    const reply = await this.#desk.answer({ type: 'seats' }, this.identity);
    return reply.type === 'seats' ? reply.seats.map((seat) => seat.workspaceId) : [];
  }

  claim(key: string): Promise<LeaseReply> {
    return this.#desk.answer({ type: 'claim', kind: 'workspace', key }, this.identity);
  }

  /** Follows its list until `hang`. */
  live(): void {
    this.#stop = every(30, () => this.#turn());
  }

  /** As a process that is stopped: it asks and renews nothing, and believes in what it has. */
  hang(): void {
    this.#stop?.();
  }

  async #turn(): Promise<void> {
    const seated = new Set(await this.seats());
    for (const [id, { token }] of this.held) {
      const [renewed] = await this.#cluster.db.tx({ kind: 'none' }, (tx) => renewClaims(tx, [token], 30));
      if (renewed && seated.has(id) && !renewed.drain) continue;
      this.held.delete(id);
      await this.#cluster.db.tx({ kind: 'none' }, (tx) => tx.exec('select app.release_claim($1)', [token]));
    }
    for (const id of seated) {
      if (this.held.has(id)) continue;
      const reply = await this.claim(id);
      if (reply.type === 'claimed') this.held.set(id, reply);
    }
  }
}

describe('operator: the pool', function () {
  this.timeout(120_000);
  let cluster: TestCluster;
  let members: Map<string, Member>;
  let stopNode: () => void;
  /** Members that are not to come to life. */
  let dead: Set<string>;
  beforeEach(async () => {
    cluster = await startTestCluster();
    await cluster.node();
    members = new Map();
    dead = new Set();
    stopNode = every(50, runPods);
  });
  afterEach(async () => {
    stopNode();
    for (const member of members.values()) member.hang();
    await cluster.stop();
  });
  const { apply, status, condition, ready, row, pod, podName, lease } = fixtureOf(() => cluster);

  /** What a node does with pods of the pool: they run, each with a process of its own. */
  async function runPods(): Promise<void> {
    for (const { metadata, status: now } of await cluster.list('pods')) {
      if (!metadata.name.startsWith('ex-pool-') || metadata.deletionTimestamp) continue;
      const known = members.get(metadata.name);
      if (known && known.identity.podUid !== metadata.uid) known.hang();
      if (known?.identity.podUid !== metadata.uid && !dead.has(metadata.name)) {
        const member = new Member(cluster, metadata.name, metadata.uid ?? '');
        members.set(metadata.name, member);
        member.live();
      }
      if ((now as { phase?: string } | undefined)?.phase === 'Running') continue;
      const ref = { name: metadata.name, namespace: NAMESPACE };
      const running = { status: { phase: 'Running' } };
      await cluster.client
        .mergePatch(PODS, ref, running, { fieldManager: 'kubelet', subresource: 'status' })
        .catch(() => undefined);
    }
  }

  const workspace = (name: string, executor: object): Promise<unknown> =>
    apply('Workspace', name, { displayName: name, owner: 'o@acme.example', executor });
  const wakeOf = (id: string): Promise<void> =>
    cluster.db.tx({ kind: 'platform' }, (tx) => wakeWorkspace(tx, id, cluster.clock.now(), 'test'));
  const seatOf = async (id: string): Promise<string | undefined> =>
    (await row<{ member: string }>(`select member from pool_seat where workspace_id = '${id}'`))?.member;
  const running = (key = ACME, mode: ExecutorMode = 'Pooled'): Promise<true> =>
    eventually(`${key} runs ${mode}`, async () => {
      const { executor } = (await status(key)) as { executor?: { state: string; mode?: string } };
      return executor?.state === 'Running' && (executor.mode ?? 'Dedicated') === mode;
    });
  const claimOf = (id: string) =>
    row<{ holder: string | null; epoch: number }>(`select holder, epoch from claim where key = '${id}'`);

  /** A workspace at work in the pool. */
  async function pooled(executor: object = { mode: 'Pooled' }): Promise<string> {
    await workspace('acme', executor);
    await ready(ACME);
    await wakeOf('acme');
    await running();
    return (await seatOf('acme')) ?? '';
  }

  it('seats a workspace when work is due, makes it no pod, and lets it go when it is idle', async () => {
    await cluster.operator({ pool: { replicas: 2 } });
    const member = await pooled({ mode: 'Pooled', idleTimeout: '1s' });
    expect(['ex-pool-0', 'ex-pool-1']).to.include(member);
    expect(await status(ACME)).to.deep.include({
      executor: { mode: 'Pooled', state: 'Running', podName: member, epoch: 1 },
    });
    expect(await condition(ACME, 'Pooled')).to.include({ status: 'True', reason: 'Seated' });
    expect(await pod()).to.equal(undefined);
    expect((await cluster.list('pods')).map((one) => one.metadata.name).sort()).to.deep.equal([
      'ex-pool-0',
      'ex-pool-1',
    ]);
    await eventually('the clock is released', () => cluster.clock.holds === 0);
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec('delete from workspace_wake');
      await tx.exec('select report_idle($1, true)', [members.get(member)?.held.get('acme')?.token]);
      await tx.exec(`update claim set idle_since = clock_timestamp() - interval '5 s'`);
    });
    await eventually('asleep', async () => (await status(ACME)).executor?.state === 'Idle');
    expect(await seatOf('acme')).to.equal(undefined);
    await eventually('the claim is given back', async () => (await claimOf('acme'))?.holder === null);
    await wakeOf('acme');
    await running();
  });

  it('hands a member the claims of its own seats and of no other workspace, whatever it asks for', async () => {
    await cluster.operator({ pool: { replicas: 2 } });
    await workspace('idle', { mode: 'Pooled' });
    const seated = await pooled();
    const other = members.get(seated === 'ex-pool-0' ? 'ex-pool-1' : 'ex-pool-0');
    expect(await other?.seats()).to.deep.equal([]);
    for (const id of ['acme', 'idle', 'nobody']) expect(await other?.claim(id)).to.deep.equal({ type: 'refused' });
    expect(await members.get(seated)?.claim('idle')).to.deep.equal({ type: 'refused' });
    const desk = new LeaseDesk(cluster.db, cluster.clock);
    const { podUid = '', member = '' } = members.get(seated)?.identity ?? {};
    const asked = { type: 'claim', kind: 'account', key: 'acc' } as const;
    expect(await desk.answer(asked, { podUid, role: 'pool', member })).to.deep.equal({ type: 'refused' });
    expect(await desk.answer({ type: 'seats' }, { podUid, role: 'accounts' })).to.deep.equal({
      type: 'seats',
      seats: [],
    });
  });

  it('leaves who has placement rules, and everybody where there is no pool, a pod of their own, and says so', async () => {
    await cluster.operator({ mode: 'Pooled', pool: { replicas: 1 } });
    await workspace('acme', { nodeSelector: { disk: 'fast' } });
    await ready(ACME);
    await wakeOf('acme');
    await eventually('a pod of its own', pod);
    expect(await condition(ACME, 'Pooled')).to.include({ status: 'False', reason: 'PlacementRules' });
    expect(await seatOf('acme')).to.equal(undefined);
    await cluster.endOperators();
  });

  it('without a pool a workspace that asks for it has a pod of its own, and says so', async () => {
    await cluster.operator();
    await workspace('acme', { mode: 'Pooled' });
    await ready(ACME);
    await wakeOf('acme');
    await eventually('a pod of its own', pod);
    expect(await condition(ACME, 'Pooled')).to.include({ status: 'False', reason: 'NoPool' });
  });

  it('an operator that starts anew moves nobody', async () => {
    await cluster.operator({ mode: 'Pooled', pool: { replicas: 3 } });
    const ids = Array.from({ length: 9 }, (_, index) => `w-${index}`);
    for (const id of ids) await workspace(id, {});
    for (const id of ids) await ready(`workspaces/outrider/${id}`);
    for (const id of ids) await wakeOf(id);
    for (const id of ids) await running(`workspaces/outrider/${id}`);
    const seats = (): Promise<unknown> =>
      cluster.db.tx({ kind: 'platform' }, (tx) => tx.rows('select * from pool_seat order by 1'));
    const epochs = (): Promise<unknown> =>
      cluster.db.tx({ kind: 'platform' }, (tx) => tx.rows('select key, epoch, holder from claim order by 1'));
    const before = [await seats(), await epochs()];
    const loads = await cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ n: number }>('select count(*)::int as n from pool_seat group by member'),
    );
    for (const { n } of loads) expect(n).to.be.at.most(4);
    await cluster.endOperators();
    const operator = await cluster.operator({ mode: 'Pooled', pool: { replicas: 3 } });
    await eventually('it leads and has looked', async () => {
      const [looked] = [
        await row<{ n: number }>(
          `select count(*)::int as n from pool_member where seen_at > clock_timestamp() - interval '2 s'`,
        ),
      ];
      return operator.isLeader && looked?.n === 3;
    });
    for (let index = 0; index < 3; index++) {
      await wakeOf('w-0');
      for (const id of ids) await running(`workspaces/outrider/${id}`);
    }
    expect([await seats(), await epochs()]).to.deep.equal(before);
  });

  it('moves those of a member that hangs once its claims ran out, and the one that hung claims nothing any more', async () => {
    await cluster.operator({ pool: { replicas: 2 } });
    const first = await pooled();
    const hung = members.get(first);
    hung?.hang();
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      // As after 30 s.
      await tx.exec(`update claim set expires_at = clock_timestamp() - interval '1 s' where key = 'acme'`);
      await tx.exec(`update pool_member set seen_at = clock_timestamp() - interval '30 s' where member = $1`, [first]);
    });
    await eventually('moved', async () => (await seatOf('acme')) !== first, 60_000);
    await eventually('the other one holds it', async () => (await claimOf('acme'))?.holder !== hung?.identity.podUid);
    expect((await claimOf('acme'))?.epoch).to.equal(2);
    expect(await hung?.claim('acme')).to.deep.equal({ type: 'refused' });
    await running();
  });

  it('a workspace moves into the pool and out of it again; each time the one before finishes first', async () => {
    await cluster.operator({ pool: { replicas: 1 } });
    await workspace('acme', {});
    await ready(ACME);
    await wakeOf('acme');
    const own = await eventually('a pod of its own', pod);
    await lease(own.metadata.uid ?? '');
    await running(ACME, 'Dedicated');
    await workspace('acme', { mode: 'Pooled' });
    await eventually(
      'told to finish',
      async () => (await row('select 1 from claim where drain_epoch = epoch')) !== undefined,
    );
    // Its claim lives until it has finished: nobody else gets it before.
    await eventually('seated', async () => (await seatOf('acme')) === 'ex-pool-0');
    expect((await claimOf('acme'))?.holder).to.equal(own.metadata.uid);
    await row(`update claim set holder = null, expires_at = null where key = 'acme'`);
    await running();
    expect((await claimOf('acme'))?.holder).to.equal(members.get('ex-pool-0')?.identity.podUid);
    await workspace('acme', { mode: 'Dedicated' });
    const again = await eventually('a pod of its own again', pod);
    await eventually('the pool gave it back', async () => (await claimOf('acme'))?.holder === null);
    expect(await seatOf('acme')).to.equal(undefined);
    await lease(again.metadata.uid ?? '');
    await running(ACME, 'Dedicated');
    expect(await condition(ACME, 'Pooled')).to.equal(undefined);
    expect(await podName()).to.not.equal('ex-pool-0');
  });

  it('suspending and deleting take the seat away, and the workspace goes when the pool has let it go', async () => {
    await cluster.operator({ pool: { replicas: 1 } });
    await pooled();
    await apply('Workspace', 'acme', {
      displayName: 'acme',
      owner: 'o@acme.example',
      operatingMode: 'Suspended',
      executor: { mode: 'Pooled' },
    });
    await eventually('idle', async () => (await status(ACME)).executor?.state === 'Idle');
    expect(await seatOf('acme')).to.equal(undefined);
    expect((await claimOf('acme'))?.holder).to.equal(null);
    await pooled();
    await cluster.client.delete(
      { group: 'outrider.dev', version: 'v1alpha1', plural: 'workspaces', kind: 'Workspace', namespaced: true },
      { name: 'acme', namespace: NAMESPACE },
    );
    await eventually('gone', async () => (await cluster.object(ACME)) === undefined, 30_000);
    expect(await seatOf('acme')).to.equal(undefined);
    expect((await claimOf('acme'))?.holder).to.equal(null);
  });

  it('fewer members: their workspaces move first, then the pod goes; none: everybody gets a pod of their own', async () => {
    await cluster.operator({ mode: 'Pooled', pool: { replicas: 2 } });
    const ids = ['w-0', 'w-1', 'w-2', 'w-3'];
    for (const id of ids) await workspace(id, {});
    for (const id of ids) await ready(`workspaces/outrider/${id}`);
    for (const id of ids) await wakeOf(id);
    for (const id of ids) await running(`workspaces/outrider/${id}`);
    expect(new Set(await Promise.all(ids.map(seatOf))).size).to.equal(2);
    await cluster.endOperators();
    const fewer = await startAgain(1);
    await eventually(
      'the second pod is gone',
      async () => (await cluster.object('pods/outrider/ex-pool-1')) === undefined,
      60_000,
    );
    for (const id of ids) expect(await seatOf(id)).to.equal('ex-pool-0');
    for (const id of ids) await running(`workspaces/outrider/${id}`);
    expect(fewer.isLeader).to.equal(true);
  });

  /** Another term, with so many members. */
  const startAgain = (replicas: number) => cluster.operator({ mode: 'Pooled', pool: { replicas } });
});
