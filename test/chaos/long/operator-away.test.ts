import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { openProductClock, type ProductClock } from '../../../pkg/base/product-clock.ts';
import { enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { doubles, Fixture } from '../../fixtures/chaos/chaos-fixture.ts';
import { addAccount, addLead } from '../../fixtures/engine/rows.ts';
import { testPostgres } from '../../tools/postgres.ts';
import { ALWAYS } from '../load.ts';
import { OwnCluster } from '../own-cluster.ts';
import { OwnNode } from '../own-node.ts';
import { FULL, tellSeed, times } from '../seed.ts';

const HOUR = 3_600_000;
/** For how long the API is away in the whole suite, and how often somebody looks whether there is work (real ms). */
const AWAY_MS = 60_000;
const LOOK_MS = 2_000;

describe('chaos: the operator killed, the Kubernetes API away', function () {
  this.timeout(FULL ? 900_000 : 180_000);
  let fixture: Fixture;
  let clock: ProductClock;
  let cluster: OwnCluster;
  let node: OwnNode;
  beforeEach(async () => {
    const urls = await (await testPostgres()).product();
    fixture = await Fixture.open(urls);
    clock = await openProductClock(fixture.clock.address);
    cluster = await OwnCluster.make(urls.appUrl, clock);
    node = await OwnNode.open(fixture, cluster, urls);
  });
  afterEach(async function () {
    tellSeed.call(this);
    await node.close();
    await cluster.stop();
    clock.close();
    await fixture.close();
  });

  const message = (text: string) => ({ nodeType: 'network:message', config: { textMode: 'static', text } });
  const wait = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } };
  const graph = (...texts: string[]): object => {
    const nodes = texts.flatMap((text, index) => (index === 0 ? [message(text)] : [wait, message(text)]));
    return { nodes, edges: nodes.slice(1).map((_, index) => ({ sourceIndex: index, targetIndex: index + 1 })) };
  };
  const applyFlow = (enabled: boolean): Promise<unknown> =>
    cluster.apply('Workflow', 'flow', {
      campaignRef: { name: 'camp' },
      name: 'W',
      enabled,
      graph: graph('first', 'second', 'third'),
    });
  /** Until a leader has raised the epoch. */
  const leads = async (): Promise<void> => {
    const epoch = async (): Promise<number> =>
      (await fixture.query<{ epoch: number }>('select epoch from restore_guard'))[0]?.epoch ?? 0;
    const from = await epoch();
    await fixture.until('an operator leads', async () => (await epoch()) > from);
  };
  const sent = async (): Promise<number> => (await fixture.received()).filter((one) => one.kind === 'message').length;

  async function campaign(people: number): Promise<void> {
    await cluster.apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await cluster.apply('Campaign', 'camp', {
      workspaceRef: { name: 'acme' },
      title: 'T',
      state: 'active',
      businessHours: ALWAYS,
      contactPolicy: { minDaysBetweenTouches: 0 },
    });
    await applyFlow(true);
    await fixture.until(
      'the workflow is in the rows',
      async () => (await fixture.query('select 1 from workflow where enabled and graph_version = 1')).length > 0,
    );
    for (let index = 0; index < times(4, 20); index++) await addAccount(fixture.app, ['acme']);
    await enrol(people);
  }

  let enrolled = 0;
  async function enrol(people: number): Promise<void> {
    enrolled += people;
    const leads: { leadId: string; runId: string }[] = [];
    for (let index = 0; index < people; index++) {
      const publicId = `o-${randomUUID().slice(0, 8)}`;
      await fixture.steer('POST', 'people', { publicId, behaviour: 'connected' });
      leads.push({ leadId: await addLead(fixture.app, 'acme', { profileId: publicId }), runId: randomUUID() });
    }
    await fixture.app.tx({ kind: 'workspaces', ids: ['acme'] }, (tx) =>
      enrolLeads(tx, { workspaceId: 'acme', workflowId: 'flow', now: fixture.clock.now(), leads, source: 'trigger' }),
    );
  }

  /** More people come when few are left, so that there is something to send all the time. */
  async function keepBusy(): Promise<void> {
    const waiting = await fixture.query('select 1 from run where ended_at is null limit 30');
    if (waiting.length < 30) await enrol(30);
  }

  it('executors go on sending meanwhile, and afterwards a change takes effect: each message once', async () => {
    await campaign(times(30, 100));
    await fixture.clock.setSpeed(400);
    await fixture.until('sends began', async () => (await sent()) > 0);
    for (let kills = 0; kills < times(1, 10); kills++) {
      await keepBusy();
      const before = await sent();
      await node.killOperator();
      await fixture.until('sends go on without the operator', async () => (await sent()) > before);
      await leads();
    }
    await keepBusy();
    const { starts } = node;
    const before = await sent();
    cluster.api.down = true;
    await fixture.until('the operator has given up its Lease', async () => node.starts > starts);
    for (let away = 0; away < times(0, AWAY_MS); away += LOOK_MS) {
      await keepBusy();
      await sleepReal(LOOK_MS);
    }
    expect(await sent(), 'sends without the API').to.be.greaterThan(before);
    cluster.api.down = false;
    await applyFlow(false);
    await fixture.until(
      'the change is in force',
      async () => (await fixture.query('select 1 from workflow where not enabled')).length > 0,
    );
    await applyFlow(true);
    await fixture.until(
      'all runs end',
      async () => (await fixture.query('select 1 from run where ended_at is null limit 1')).length === 0,
      FULL ? 600_000 : 120_000,
    );
    const received = (await fixture.received()).filter((one) => one.kind === 'message');
    expect(doubles(received)).to.deep.equal([]);
    expect(received).to.have.length(3 * enrolled);
    expect(
      await fixture.query('select reason from send_freeze'),
      'no restart of the operator needs a person',
    ).to.deep.equal([]);
  });
});
