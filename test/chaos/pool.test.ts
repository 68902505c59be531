import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sleepReal } from '../../pkg/base/clock.ts';
import { enrolLeads } from '../../pkg/store/runs/enrol.ts';
import { Fixture, kill, type Received } from '../fixtures/chaos/chaos-fixture.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../fixtures/engine/rows.ts';
import { personOf } from './judge.ts';
import { ALWAYS, HOSTILE, Load } from './load.ts';
import { dice, FULL, tellSeed, times } from './seed.ts';

const SPEED = 1_500;
/** Seconds that a claim lives where the lease is scaled down. */
const SHORT_LEASE = 2;

/** Who serves whom: two pools, and pods of their own, between which workspaces are moved as an operator would. */
class Places {
  readonly a = new Set<string>();
  readonly b = new Set<string>();
  #fixture: Fixture;
  readonly #alone = new Map<string, ChildProcess>();

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  /** In pool a, in pool b, or alone; who is alone finishes first. */
  async move(id: string, to: 'a' | 'b' | 'alone'): Promise<void> {
    this.a.delete(id);
    this.b.delete(id);
    const own = this.#alone.get(id);
    if (to === 'alone' && !own) {
      this.#fixture.mode = 'Dedicated';
      this.#alone.set(id, this.#fixture.executor({ workspace: id }, `own-${id}`));
    } else if (to !== 'alone') {
      this[to].add(id);
      this.#alone.delete(id);
      if (own) await kill(own, 'SIGTERM');
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.#alone.values()].map((child) => kill(child, 'SIGTERM')));
  }
}

describe('chaos: many workspaces in one process', function () {
  this.timeout(FULL ? 3_600_000 : 300_000);
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open();
  });
  afterEach(async function () {
    tellSeed.call(this);
    await fixture.close();
  });

  async function loads(count: number, people: number): Promise<Load[]> {
    const all: Load[] = [];
    for (let index = 0; index < count; index++) all.push(await Load.start(fixture, { people, accounts: 1 }));
    return all;
  }

  /** Everybody has come to the end, and each workspace's ledger is the sandbox's. */
  async function finish(all: readonly Load[]): Promise<void> {
    await fixture.steer('POST', 'faults', []);
    for (const load of all) await load.ended(FULL ? 1_200_000 : 200_000);
    for (const load of all) await load.judge();
  }

  it('the process is killed again and again: all of its workspaces go on, nobody twice, nobody lost', async () => {
    const all = await loads(times(5, 40), times(6, 20));
    const random = dice('pool kills');
    await fixture.steer('POST', 'faults', HOSTILE);
    await fixture.clock.setSpeed(SPEED);
    const pool = fixture.supervise({ pool: () => all.map((load) => load.ws) }, 'pool-a');
    for (let kills = 0; kills < times(6, 200); kills++) {
      await fixture.until('an effect in flight', async () => {
        for (const load of all) if (await load.inFlight()) return true;
        return (await Promise.all(all.map((load) => load.live()))).every((live) => live === 0);
      });
      await sleepReal(random() * 800);
      pool.kill('SIGKILL');
    }
    await finish(all);
    await pool.stop();
  });

  it('workspaces move between two pools and pods of their own under load: each finishes first, nothing twice, no campaign begins anew', async () => {
    const all = await loads(times(4, 12), times(10, 40));
    const random = dice('moves');
    const places = new Places(fixture);
    await fixture.steer('POST', 'faults', HOSTILE);
    await fixture.clock.setSpeed(SPEED);
    const pools = [
      fixture.supervise({ pool: () => [...places.a] }, 'pool-a'),
      fixture.supervise({ pool: () => [...places.b] }, 'pool-b'),
    ];
    for (let turn = 0; turn < times(10, 200); turn++) {
      const load = all[Math.floor(random() * all.length)];
      const to = (['a', 'b', 'alone'] as const)[Math.floor(random() * 3)];
      if (load && to) await places.move(load.ws, to);
      await sleepReal(random() * 1_500);
    }
    for (const [index, load] of all.entries()) await places.move(load.ws, index % 2 === 0 ? 'a' : 'b');
    await finish(all);
    for (const load of all) {
      const begun = await fixture.query(
        'select lead_id from run where workspace_id = $1 group by 1 having count(*) > 1',
        [load.ws],
      );
      expect(begun, 'nobody begins anew').to.deep.equal([]);
    }
    await places.end();
    await Promise.all(pools.map((pool) => pool.stop()));
  });

  it('a process that hangs past its leases: another takes all of its workspaces, it goes on for nobody', async () => {
    fixture.leaseSeconds = SHORT_LEASE;
    const all = await loads(4, 4);
    await fixture.clock.setSpeed(1_000);
    const ids = all.map((load) => load.ws);
    const first = fixture.executor({ pool: () => ids }, 'pool-a');
    await fixture.until(
      'sends are under way',
      async () => (await fixture.query(`select 1 from send where state = 'dispatched'`)).length > 0,
    );
    first.kill('SIGSTOP');
    const second = fixture.executor({ pool: () => ids }, 'pool-b');
    await fixture.until(
      'the second one holds all',
      async () => (await fixture.query(`select 1 from claim where holder = 'pool-b'`)).length === ids.length,
    );
    first.kill('SIGCONT');
    const lost = (): number => fixture.output.filter((line) => line.includes('claim of a workspace is lost')).length;
    await fixture.until('the first one lets all go', async () => lost() > 0);
    await finish(all);
    expect(first.exitCode, 'it goes on, for whom it is given next').to.equal(null);
    await Promise.all([kill(first), kill(second, 'SIGTERM')]);
  });

  it('twins with the same people, nodes and names in one process: each text comes from its own workspace, once', async () => {
    const people = Array.from({ length: 6 }, () => `l-${randomUUID().slice(0, 8)}`);
    await fixture.steer(
      'POST',
      'people',
      people.map((publicId) => ({ publicId, behaviour: 'connected' })),
    );
    const twins = [await twin('north', people), await twin('south', people)];
    await fixture.steer('POST', 'faults', HOSTILE);
    await fixture.clock.setSpeed(SPEED);
    const pool = fixture.supervise({ pool: () => twins.map((one) => one.ws) }, 'pool-a');
    for (let kills = 0; kills < 2; kills++) {
      await fixture.until(
        'sends are under way',
        async () => (await fixture.query(`select 1 from send where state in ('claimed', 'dispatched')`)).length > 0,
      );
      pool.kill('SIGKILL');
    }
    await fixture.steer('POST', 'faults', []);
    await fixture.until(
      'all runs end',
      async () => (await fixture.query('select 1 from run where ended_at is null limit 1')).length === 0,
      200_000,
    );
    await pool.stop();
    const messages = (await fixture.received()).filter((one) => one.kind === 'message');
    for (const { account, name } of twins) {
      const own = messages.filter((one) => one.accountId === account);
      expect(own.map(textFor).sort(), `what ${name} sent`).to.deep.equal(
        people.map((person) => `${person}: from ${name}`).sort(),
      );
    }
    expect(messages).to.have.length(2 * people.length);
  });

  const textFor = (one: Received): string => `${personOf(one)}: ${one.text}`;

  /** A workspace whose nodes, leads' names and people are those of its twin, and whose text alone is its own. */
  async function twin(name: string, people: readonly string[]): Promise<{ ws: string; account: string; name: string }> {
    const { app, clock } = fixture;
    const ws = await addWorkspace(app);
    const camp = await addCampaign(app, ws, { businessHours: ALWAYS, contactPolicy: { minDaysBetweenTouches: 0 } });
    const account = await addAccount(app, [ws]);
    const flow = await addWorkflow(app, ws, camp, {
      nodes: [
        { nodeId: 'view', nodeType: 'network:profile_view' },
        { nodeId: 'hello', nodeType: 'network:message', config: { textMode: 'static', text: `from ${name}` } },
      ],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    });
    const leads: { leadId: string; runId: string }[] = [];
    for (const profileId of people)
      leads.push({ leadId: await addLead(app, ws, { profileId, firstName: 'Twin' }), runId: randomUUID() });
    await app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      enrolLeads(tx, { workspaceId: ws, workflowId: flow, now: clock.now(), leads, source: 'trigger' }),
    );
    return { ws, account, name };
  }
});
