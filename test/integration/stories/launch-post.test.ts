import { expect } from 'chai';
import { openOutside } from '../../../pkg/engine/calls/outside.ts';
import { type AgentWorld, DAY, openAgentWorld } from '../../fixtures/signals/agent-world.ts';
import { SearchedNetwork, shown } from '../../fixtures/signals/searched-network.ts';

const HOUR = 3_600_000;
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

// A competitor launches on a Tuesday; those who cheer for it hear from us by the end of the week.
describe("story: a competitor's launch post becomes ten conversations", function () {
  this.timeout(120_000);
  const network = new SearchedNetwork();
  let world: AgentWorld;
  before(async () => {
    world = await openAgentWorld(network, { outside: openOutside({}, undefined) });
  });
  after(() => world.stop());

  /** A workflow that writes to whom it gets. */
  async function writes(): Promise<string> {
    const { acme, campaignId, tools } = world;
    const policy = { contactPolicy: { minDaysBetweenTouches: 0 }, businessHours: ALWAYS };
    await acme.call('svc_update_campaign', { campaignId, ...policy });
    const text = { textMode: 'static', text: 'Hello, how do you run your own platform today?' };
    const graph = { nodes: [{ nodeType: 'network:message', config: text }], edges: [] };
    const { workflowId } = await acme.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: 'Write',
      graph,
    });
    await tools.force('update workflow set enabled = true where id = $1', [workflowId]);
    return workflowId;
  }

  it('whoever engaged is found once, without the excluded and their own staff, and is written to once', async () => {
    const { acme, tools } = world;
    await tools.grant('acme', 100);
    const networkAccountId = await tools.account('acme');
    await acme.call('svc_update_network_account_settings', {
      networkAccountId,
      businessHours: ALWAYS,
      rampUp: { enabled: false },
    });
    const workflowId = await writes();
    await acme.call('svc_create_competitor_watch', {
      name: 'Rival',
      profileUrl: 'https://www.linkedin.com/company/rival',
      kinds: ['post', 'engager'],
      excludeFromOutreach: false,
    });
    const signalAgentId = await world.agent({
      name: 'Cheerers',
      signalTypes: ['new_post'],
      criteria: { keywords: ['platform'] },
      dailyCreditLimit: 0,
      workflowId,
    });
    world.advance(DAY);
    await world.work();

    const cheerers = Array.from({ length: 10 }, (_, place) => shown(`cheerer-${place}`));
    for (const { publicId } of cheerers) network.connected.add(publicId);
    await world.exclude(
      await world.lead({ email: 'barred@barred.example', profileUrl: 'https://www.linkedin.com/in/barred' }),
    );
    network.post('launch', world.now(), 'We launch our new platform', 'Rival');
    network.reacted.set('launch', [...cheerers, shown('barred'), shown('insider', 'Engineer at Rival')]);
    network.commented.set('launch', cheerers.slice(0, 3));
    world.advance(DAY);
    await world.work();
    expect((await world.run(signalAgentId)).result).to.include({ found_new_post: 10, enqueued: 10 });

    for (let hour = 0; hour < 72 && network.received.length < 10; hour++) {
      world.advance(HOUR);
      await world.handle.quiet();
    }
    const written = network.received.map((one) => one.publicId);
    expect(written.toSorted()).to.deep.equal(cheerers.map((one) => one.publicId));
    world.advance(DAY);
    await world.work();
    expect((await world.run(signalAgentId)).result, 'nobody is found twice').to.not.have.property('enqueued');
    await world.handle.quiet();
    expect(network.received).to.have.length(10);
  });
});

// The month is planned too small. What costs waits, what is free goes on, and the next month takes up what waited.
describe("story: a month's credits run out on the 20th", function () {
  this.timeout(120_000);
  const network = new SearchedNetwork();
  let world: AgentWorld;
  before(async () => {
    world = await openAgentWorld(network);
    await world.tools.account('acme');
    await world.tools.grant('acme', 7);
  });
  after(() => world.stop());

  it('whom the credits do not reach waits for the next month, and who is known is enqueued meanwhile', async () => {
    const { acme } = world;
    const signalAgentId = await world.agent({ signalTypes: ['new_post'], criteria: { keywords: ['kubernetes'] } });
    await acme.call('svc_resume_signal_agent', { signalAgentId });
    /** The agent runs by its schedule on a day on which a post about it has three engagers. */
    const day = async (month: number, date: number, people: number): Promise<Record<string, unknown>> => {
      world.at(Date.UTC(2026, month - 1, date, 12));
      const post = `post-${month}-${date}`;
      network.found.length = 0;
      network.post(post, world.now() - HOUR, 'Kubernetes again', 'Somebody');
      network.reacted.set(
        post,
        Array.from({ length: people }, (_, place) => shown(`${post}-${place}`)),
      );
      await world.work();
      const { signalAgent } = await acme.call<{ signalAgent: { lastRun: { result: Record<string, unknown> } } }>(
        'svc_get_signal_agent',
        { signalAgentId },
      );
      return signalAgent.lastRun.result;
    };
    const left = async (): Promise<number> =>
      (await acme.call<{ available: number }>('svc_get_credit_balance')).available;

    expect(await day(3, 3, 3)).to.include({ enqueued: 3, credits: 3 });
    expect(await day(3, 10, 3)).to.include({ enqueued: 3, credits: 3 });
    const leadId = await world.lead({ email: 'known@known.example', title: 'CTO' });
    world.at(Date.UTC(2026, 2, 20, 5));
    await world.signal({ leadId, type: 'new_post', title: 'Kubernetes at home' });
    expect(await day(3, 20, 3)).to.include({ enqueued: 2, credits: 1, credit_limit: 2 });
    expect(await left()).to.equal(0);
    expect(await day(3, 23, 0))
      .to.include({ credit_limit: 2 })
      .and.not.have.property('enqueued');
    await world.tools.grant('acme', 10);
    expect(await day(4, 1, 0)).to.include({ enqueued: 2, credits: 2 });
    expect(await left()).to.equal(8);
    const { stats } = await acme.call<{ stats: Record<string, number> }>('svc_get_signal_agent_stats', {
      signalAgentId,
    });
    expect(stats).to.include({ enqueued: 10, creditsSpent: 9, limited: 0, signalsSeen: 10 });
  });
});
