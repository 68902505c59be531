import { expect } from 'chai';
import type { FaultHook } from '../../../../pkg/engine/fault-points.ts';
import { type AgentWorld, DAY, openAgentWorld } from '../../../fixtures/signals/agent-world.ts';
import { SearchedNetwork, shown } from '../../../fixtures/signals/searched-network.ts';

const SEARCHING = { signalTypes: ['new_post'], criteria: { keywords: ['kubernetes', 'bare metal'], titles: ['CTO'] } };

describe('searches of signal agents', function () {
  this.timeout(120_000);
  let world: AgentWorld;
  const network = new SearchedNetwork();
  /** Called at each fault point of the executor. */
  let hook: FaultHook = () => Promise.resolve();
  before(async () => {
    world = await openAgentWorld(network, { faults: (point, id) => hook(point, id) });
    await world.tools.account('acme');
    await world.tools.grant('acme', 10);
    network.post('old', world.now() - 30 * DAY, 'Kubernetes of old', shown('old-author'));
    network.post('lunch', world.now() - DAY, 'Lunch', shown('eater'));
    network.post('p1', world.now() - DAY, 'Kubernetes is hard', shown('author'));
    network.post('launch', world.now() - 3_600_000, 'Our new Kubernetes platform', 'Rival');
    network.reacted.set('launch', [shown('fan'), shown('staff', 'CTO at Rival'), shown('clerk', 'Accountant')]);
    network.commented.set('launch', [shown('fan'), shown('critic')]);
  });
  after(() => world.stop());

  const left = async (): Promise<number> =>
    (await world.acme.call<{ available: number }>('svc_get_credit_balance')).available;

  it('posts with its keywords bring their authors and who engaged with them; each who is enqueued costs a credit', async () => {
    const before = await left();
    const id = await world.agent(SEARCHING);
    const { result } = await world.run(id);
    expect(network.searched).to.deep.equal(['kubernetes OR "bare metal"']);
    expect(result).to.include({ found_new_post: 4, signalsSeen: 4, enqueued: 3, not_matched: 1, credits: 3 });
    expect(before - (await left())).to.equal(3);
    const { leads } = await world.acme.call<{ leads: { fullName: string; signal: { title: string } }[] }>(
      'svc_list_signal_agent_leads',
      { signalAgentId: id, outcome: 'enqueued', detail: 'full' },
    );
    expect(leads.map((lead) => lead.signal.title).toSorted()).to.deep.equal([
      'Kubernetes is hard',
      'Person critic commented on: Our new Kubernetes platform',
      'Person fan reacted to and commented on: Our new Kubernetes platform',
    ]);
    expect((await world.run(id)).result, 'nothing of it is new').to.include({ signalsSeen: 0 });
    expect(before - (await left())).to.equal(3);
  });

  it('people with its titles are watched from then on, and their change of job costs a credit when they are enqueued', async () => {
    await world.forget();
    network.searched.length = 0;
    network.people.push(shown('mover'), shown('stayer'));
    for (const name of ['mover', 'stayer']) network.jobs.set(name, { title: 'CTO', company: 'Acorn' });
    const before = await left();
    const id = await world.agent({ signalTypes: ['job_change'], criteria: { titles: ['CTO'] } });
    expect((await world.run(id)).result).to.include({ people_watched: 2, signalsSeen: 0 });
    expect(network.searched).to.deep.equal([
      'https://www.linkedin.com/search/results/people/?titleFreeText=CTO&origin=FACETED_SEARCH',
    ]);
    expect((await world.run(id)).result, 'the first look').to.include({ profiles_seen: 2, signalsSeen: 0 });
    network.jobs.set('mover', { title: 'CTO', company: 'Beech' });
    world.advance(DAY);
    expect((await world.run(id)).result).to.include({ found_job_change: 1, enqueued: 1, credits: 1 });
    expect(before - (await left())).to.equal(1);
  });

  it('A6 who engaged with what the workspace wrote itself is no signal', async () => {
    await world.tools.force(
      `update network_account set profile_url = 'https://www.linkedin.com/in/our-own'
       where id in (select account_id from account_link where workspace_id = 'acme')`,
    );
    network.found.length = 0;
    network.post('ours', world.now(), 'We love Kubernetes', shown('our-own'));
    network.reacted.set('ours', [shown('friend'), shown('our-own')]);
    const { result } = await world.run(await world.agent(SEARCHING));
    expect(result).to.include({ found_new_post: 1, self_caused: 1 }).and.not.have.property('enqueued');
  });

  it('nobody is brought at a dailyCreditLimit of 0, and maxCredits refuses before any work', async () => {
    network.searched.length = 0;
    const id = await world.agent({ ...SEARCHING, dailyCreditLimit: 0 });
    expect((await world.run(id)).result)
      .to.have.property('search')
      .that.matches(/^dailyCreditLimit is 0/);
    expect(network.searched).to.deep.equal([]);
    const open = await world.agent(SEARCHING);
    expect(await world.acme.refusal('svc_run_signal_agent', { signalAgentId: open, maxCredits: 5 })).to.match(
      /^signal_scan needs 25 credits, more than maxCredits 5\./,
    );
  });

  it('where credits end they are the limit, and a dry run costs none', async () => {
    await world.forget();
    const free = await left();
    network.found.length = 0;
    network.post('p9', world.now(), 'Bare metal is back', 'Vendor');
    network.reacted.set(
      'p9',
      Array.from({ length: free + 2 }, (_, place) => shown(`late-${place}`)),
    );
    const id = await world.agent(SEARCHING);
    const { result } = await world.run(id);
    expect(result).to.include({ found_new_post: free + 2, enqueued: free, credit_limit: 2, credits: free });
    expect(await left()).to.equal(0);
    await world.tools.grant('acme', 2);
    const dry = await world.acme.call<{ wouldEnqueue: { leadId: string }[] }>('svc_run_signal_agent', {
      signalAgentId: id,
      dryRun: true,
    });
    expect(dry.wouldEnqueue).to.have.length(2);
    expect(await left()).to.equal(2);
    expect((await world.run(id)).result).to.include({ enqueued: 2, credits: 2 });
    expect(await left()).to.equal(0);
  });

  it('a process that ends in any phase enrols nobody twice, charges exactly, and its counters add up', async () => {
    await world.forget();
    await world.tools.grant('acme', 50);
    network.found.length = 0;
    network.post('struck', world.now(), 'Kubernetes for everybody', shown('struck-author'));
    network.reacted.set(
      'struck',
      Array.from({ length: 30 }, (_, place) => shown(`struck-${place}`)),
    );
    const before = await left();
    const id = await world.agent({ ...SEARCHING, dailyLeadLimit: 20 });
    const struck: string[] = [];
    let count = 0;
    hook = (point) => {
      if (!point.startsWith('step') || ![1, 4].includes(++count % 5)) return Promise.resolve();
      struck.push(point);
      return Promise.reject(new Error(`the process ends ${point}`));
    };
    await world.acme.call('svc_run_signal_agent', { signalAgentId: id });
    for (let again = 0; again < 20; again++) {
      await world.work().catch(() => undefined);
      world.advance(60_000);
    }
    hook = () => Promise.resolve();
    await world.work();
    expect(struck).to.include.members(['stepping', 'stepped']);
    const [counts] = await world.tools.rows(
      `select
         (select count(*)::int from run r join signal_decision d on d.run_id = r.id where d.agent_id = $1) as runs,
         count(distinct person_id) filter (where outcome = 'enqueued')::int as persons,
         count(*) filter (where outcome = 'enqueued')::int as enqueued,
         count(*)::int as decided,
         (select leads from signal_agent_day where agent_id = $1) as taken,
         (select credits from signal_agent_day where agent_id = $1) as spent
       from signal_decision
       where agent_id = $1`,
      [id],
    );
    expect(counts).to.deep.equal({ runs: 20, persons: 20, enqueued: 20, decided: 31, taken: 20, spent: 20 });
    expect(before - (await left())).to.equal(20);
    const { signalAgent } = await world.acme.call<{ signalAgent: { lastRun: { result: object } } }>(
      'svc_get_signal_agent',
      { signalAgentId: id },
    );
    expect(signalAgent.lastRun.result).to.include({ signalsSeen: 31, enqueued: 20, lead_limit: 11, credits: 20 });
  });
});
