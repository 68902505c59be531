import { expect } from 'chai';
import { type AgentWorld, DAY, openAgentWorld } from '../../../fixtures/signals/agent-world.ts';

interface Lead {
  leadId: string | null;
  outcome: string;
  reason: string;
  signal: { signalId: string };
}
interface Stats {
  signalsSeen: number;
  [name: string]: number;
}

describe('tools: signal agents, by an MCP client', function () {
  this.timeout(120_000);
  let world: AgentWorld;
  let acme: AgentWorld['acme'];
  let csv = 0;
  before(async () => {
    world = await openAgentWorld();
    acme = world.acme;
  });
  after(() => world.stop());

  /** A new person with an address. @returns the lead's id */
  async function person(title = 'CTO', more: { company?: string; mail?: string } = {}): Promise<string> {
    const mail = more.mail ?? `person${++csv}@firm${csv}.example`;
    return world.lead({ email: mail, title, company: more.company ?? `Firm ${csv}` });
  }
  const leadsOf = async (signalAgentId: string, outcome?: string): Promise<Lead[]> =>
    (
      await acme.call<{ leads: Lead[] }>('svc_list_signal_agent_leads', {
        signalAgentId,
        limit: 100,
        ...(outcome ? { outcome } : {}),
      })
    ).leads;
  const statsOf = async (signalAgentId: string): Promise<Stats> =>
    (await acme.call<{ stats: Stats }>('svc_get_signal_agent_stats', { signalAgentId })).stats;
  const agentOf = async (signalAgentId: string): Promise<Record<string, unknown>> =>
    (await acme.call<{ signalAgent: Record<string, unknown> }>('svc_get_signal_agent', { signalAgentId })).signalAgent;
  const enrolled = async (leadId: string): Promise<number> =>
    (await world.tools.rows('select 1 from run where lead_id = $1', [leadId])).length;

  describe('svc_create_signal_agent', () => {
    it('makes a paused agent with the defaults, on working days at six in the zone of the workspace', async () => {
      const id = await world.agent({ criteria: { titles: ['CTO'] } });
      expect(await agentOf(id)).to.deep.include({
        status: 'paused',
        schedule: '0 6 * * 1-5',
        dailyLeadLimit: 25,
        dailyCreditLimit: null,
        minScore: null,
        playbook: null,
        handleReplies: false,
        lastRun: null,
        nextRunAt: null,
      });
    });

    it('refuses a schedule with the reason, and what is not there', async () => {
      const refused = (input: object): Promise<string> =>
        acme.refusal('svc_create_signal_agent', { name: 'X', signalTypes: ['new_post'], ...input });
      expect(await refused({ schedule: '* * * * *' })).to.contain('more often than every 15 minutes');
      expect(await refused({ workflowId: 'nowhere' })).to.contain('svc_list_workflows');
      expect(await refused({ networkAccountId: 'nowhere' })).to.contain('svc_list_network_accounts');
    });
  });

  it('names of people and what enrols need the scopes of their own tools, beside signals:write', async () => {
    const ada = await person();
    await world.signal({ leadId: ada });
    const id = await world.agent({ criteria: { titles: ['CTO'] } });
    const scopes = ['signals:read', 'signals:write'];
    const poor = await world.tools.as({ workspace: 'acme', scopes });
    const dry = { signalAgentId: id, dryRun: true };
    expect(await poor.refusal('svc_run_signal_agent', dry)).to.match(/^Scope leads:read is required to see whom/);
    const change = { signalAgentId: id, workflowId: world.workflowId };
    await poor.call('svc_update_signal_agent', { ...change, minScore: 1 });
    const elsewhere = { name: 'X', signalTypes: ['job_change'] };
    expect(await poor.refusal('svc_create_signal_agent', { ...elsewhere, workflowId: world.workflowId })).to.match(
      /^Scope workflows:write is required to set the workflow/,
    );
    expect(await poor.refusal('svc_update_signal_agent', { signalAgentId: id, playbook: 'Be kind.' })).to.match(
      /^Scope campaigns:write is required to set the playbook/,
    );
    await poor.call('svc_create_signal_agent', elsewhere);
    const all = ['workflows:write', 'campaigns:write', 'leads:read'];
    const rich = await world.tools.as({ workspace: 'acme', scopes: [...scopes, ...all] });
    await rich.call('svc_update_signal_agent', { signalAgentId: id, playbook: 'Be kind.', minScore: 0 });
    await rich.call('svc_create_signal_agent', { ...elsewhere, workflowId: world.workflowId });
    const { wouldEnqueue } = await rich.call<{ wouldEnqueue: Lead[] }>('svc_run_signal_agent', dry);
    expect(wouldEnqueue.map((one) => one.leadId)).to.deep.equal([ada]);
    await world.forget();
  });

  describe('svc_run_signal_agent', () => {
    it('an agent that was made paused finds a person by a signal and enrols them, once', async () => {
      const ada = await person();
      const signalId = await world.signal({ leadId: ada });
      const id = await world.agent({ criteria: { titles: ['CTO'] } });
      const run = await world.run(id);
      expect(run).to.deep.include({ status: 'succeeded', error: null });
      expect(run.result).to.include({ signalsSeen: 1, enqueued: 1 });
      const [found] = await leadsOf(id);
      expect(found).to.deep.include({ leadId: ada, outcome: 'enqueued', reason: 'titles: CTO' });
      expect(found?.signal).to.include({ signalId });
      expect(await enrolled(ada)).to.equal(1);
      expect((await world.run(id)).result).to.include({ signalsSeen: 0 });
      await world.forget();
    });

    it('A dry run writes nothing and costs nothing, and a real run right after it enqueues exactly those', async () => {
      const people = [await person(), await person('CFO'), await person(), await person()];
      for (const leadId of people) await world.signal({ leadId });
      const id = await world.agent({ criteria: { titles: ['CTO'] }, dailyLeadLimit: 2 });
      const dry = await acme.call<{ matched: number; agentRunId: null; wouldEnqueue: Lead[] }>('svc_run_signal_agent', {
        signalAgentId: id,
        dryRun: true,
      });
      expect(dry).to.include({ matched: 3, agentRunId: null });
      expect(await leadsOf(id)).to.deep.equal([]);
      for (const leadId of people) expect(await enrolled(leadId)).to.equal(0);
      await world.run(id);
      const real = await leadsOf(id, 'enqueued');
      expect(real.map((one) => one.leadId).sort()).to.deep.equal(dry.wouldEnqueue.map((one) => one.leadId).sort());
      expect(real).to.have.length(2);
      await world.forget();
    });

    it('A2 single flight: while a run is under way a second one is refused, and the same call joins it', async () => {
      const id = await world.agent();
      const input = { signalAgentId: id, idempotencyKey: 'once' };
      const first = await acme.call<{ agentRunId: string }>('svc_run_signal_agent', input);
      expect(await acme.again('svc_run_signal_agent', input)).to.include({ agentRunId: first.agentRunId });
      expect(await acme.refusal('svc_run_signal_agent', { ...input, idempotencyKey: 'twice' })).to.match(
        /^A run of the agent is under way\. Call svc_get_signal_agent\.$/,
      );
      await world.work();
    });

    it('a run of an agent whose workflow is disabled says so and enrols nobody', async () => {
      await world.signal({ leadId: await person() });
      const id = await world.agent();
      await world.tools.force('update workflow set enabled = false where id = $1', [world.workflowId]);
      expect((await world.run(id)).error).to.contain('is disabled (svc_update_workflow_status enables it)');
      await world.tools.force('update workflow set enabled = true where id = $1', [world.workflowId]);
      await world.forget();
    });

    it('maxLeads bounds one run', async () => {
      for (const _ of [1, 2, 3]) await world.signal({ leadId: await person() });
      const id = await world.agent();
      expect((await world.run(id, { maxLeads: 1 })).result).to.include({ enqueued: 1, lead_limit: 2 });
      expect((await world.run(id)).result).to.include({ enqueued: 2, signalsSeen: 2 });
      await world.forget();
    });
  });

  describe('svc_get_signal_agent_stats', () => {
    it('A3 the counters of stats add up to signalsSeen, with one outcome for each signal', async () => {
      const excluded = await person();
      await world.exclude(excluded);
      const twice = await person();
      const poor = await person('CFO');
      const old = await person();
      for (const leadId of [excluded, twice, twice, poor, await person(), await person()])
        await world.signal({ leadId });
      await world.signal({ leadId: old, expiresAt: world.now() });
      const id = await world.agent({ criteria: { titles: ['CTO'] }, dailyLeadLimit: 2 });
      await world.run(id);
      const { signalsSeen, matched, replied, positive, creditsSpent, skippedWhilePaused, ...outcomes } =
        await statsOf(id);
      expect({ signalsSeen, matched, replied, positive, creditsSpent, skippedWhilePaused }).to.deep.equal({
        signalsSeen: 7,
        matched: 6,
        replied: 0,
        positive: 0,
        creditsSpent: 0,
        skippedWhilePaused: 0,
      });
      expect(outcomes).to.include({ excluded: 1, duplicates: 1, notMatched: 1, expired: 1, enqueued: 2, limited: 1 });
      expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).to.equal(7);
      await world.forget();
    });
  });

  describe('svc_list_signal_agents', () => {
    it('lists status and what was enqueued yesterday, by pages', async () => {
      await world.signal({ leadId: await person() });
      const id = await world.agent({ name: 'Listed' });
      await world.run(id);
      world.advance(DAY);
      const seen: Record<string, unknown>[] = [];
      let cursor: string | null = null;
      do {
        const page: { signalAgents: Record<string, unknown>[]; nextCursor: string | null } = await acme.call(
          'svc_list_signal_agents',
          { status: 'paused', limit: 2, ...(cursor === null ? {} : { cursor }) },
        );
        seen.push(...page.signalAgents);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(new Set(seen.map((one) => one.signalAgentId)).size).to.equal(seen.length);
      expect(seen.find((one) => one.signalAgentId === id)).to.include({ name: 'Listed', enqueuedYesterday: 1 });
      const active = await acme.call<{ signalAgents: unknown[] }>('svc_list_signal_agents', { status: 'active' });
      expect(active.signalAgents).to.deep.equal([]);
      await world.forget();
    });
  });

  describe('svc_update_signal_agent', () => {
    it('changes what is given and nothing else; an empty playbook is none', async () => {
      const id = await world.agent({ criteria: { titles: ['CTO'] } });
      const before = await agentOf(id);
      await acme.call('svc_update_signal_agent', { signalAgentId: id, name: 'Renamed', playbook: ' Be kind. ' });
      const named = { name: 'Renamed', playbook: 'Be kind.', hasOwnPlaybook: true };
      expect(await agentOf(id)).to.deep.equal({ ...before, ...named });
      await acme.call('svc_update_signal_agent', { signalAgentId: id, playbook: '', criteria: { keywords: ['go'] } });
      expect(await agentOf(id)).to.deep.include({ hasOwnPlaybook: false, playbook: null });
      expect((await agentOf(id)).criteria).to.deep.include({ titles: [], keywords: ['go'] });
    });
  });

  describe('svc_get_signal_agent', () => {
    it('shows the last run with its numbers, and when the next one comes', async () => {
      await world.signal({ leadId: await person() });
      const id = await world.agent();
      await world.run(id);
      await acme.call('svc_resume_signal_agent', { signalAgentId: id });
      const agent = await agentOf(id);
      expect(agent.lastRun).to.deep.include({ status: 'succeeded', error: null });
      expect(agent.nextRunAt).to.match(/T06:00:00\.000Z$/);
      await acme.call('svc_pause_signal_agent', { signalAgentId: id });
      await world.forget();
    });
  });

  describe('svc_list_signal_agent_leads', () => {
    it('explains each decision, by outcome and by pages', async () => {
      for (const title of ['CTO', 'CFO', 'CTO']) await world.signal({ leadId: await person(title) });
      const id = await world.agent({ criteria: { titles: ['CTO'] } });
      await world.run(id);
      const [missed] = await leadsOf(id, 'not_matched');
      expect(missed?.reason).to.equal('titles does not match: CFO');
      const first = await acme.call<{ leads: Lead[]; nextCursor: string }>('svc_list_signal_agent_leads', {
        signalAgentId: id,
        limit: 2,
      });
      const rest = await acme.call<{ leads: Lead[]; nextCursor: null }>('svc_list_signal_agent_leads', {
        signalAgentId: id,
        limit: 2,
        cursor: first.nextCursor,
      });
      expect(new Set([...first.leads, ...rest.leads].map((one) => one.leadId)).size).to.equal(3);
      expect(rest.nextCursor).to.equal(null);
      await world.forget();
    });
  });

  describe('svc_pause_signal_agent', () => {
    it('ends what is under way, and nothing that was queued is lost', async () => {
      await world.signal({ leadId: await person() });
      const id = await world.agent();
      await acme.call('svc_run_signal_agent', { signalAgentId: id });
      expect(await acme.call('svc_pause_signal_agent', { signalAgentId: id })).to.include({ status: 'paused' });
      await world.work();
      expect((await agentOf(id)).lastRun).to.include({ status: 'skipped', error: 'stopped: the agent was paused' });
      expect((await world.run(id)).result).to.include({ enqueued: 1 });
      await world.forget();
    });
  });

  describe('svc_resume_signal_agent', () => {
    it('A8 pause keeps a cursor: resumed it goes on with a day of the pause at most, and what it skipped is counted', async () => {
      const id = await world.agent();
      expect(await acme.call('svc_resume_signal_agent', { signalAgentId: id })).to.deep.equal({
        signalAgentId: id,
        status: 'active',
        nextRunAt: (await agentOf(id)).nextRunAt,
      });
      await acme.call('svc_pause_signal_agent', { signalAgentId: id });
      expect(await agentOf(id)).to.include({ status: 'paused', nextRunAt: null });
      world.advance(DAY);
      await world.signal({ leadId: await person() });
      world.advance(2 * DAY);
      const late = await person();
      await world.signal({ leadId: late });
      await acme.call('svc_resume_signal_agent', { signalAgentId: id });
      await world.run(id);
      expect((await leadsOf(id)).map((one) => one.leadId)).to.deep.equal([late]);
      expect(await statsOf(id)).to.include({ skippedWhilePaused: 1, signalsSeen: 1 });
      await acme.call('svc_pause_signal_agent', { signalAgentId: id });
      await world.forget();
    });

    it('an active agent runs by itself at its time', async () => {
      const id = await world.agent({ schedule: '0 * * * *' });
      const leadId = await person();
      await world.signal({ leadId });
      await acme.call('svc_resume_signal_agent', { signalAgentId: id });
      world.advance(DAY / 12);
      await world.work();
      expect(await enrolled(leadId)).to.equal(1);
      await acme.call('svc_pause_signal_agent', { signalAgentId: id });
      await world.forget();
    });

    it('nobody resumes an agent that no enabled workflow is attached to', async () => {
      const id = await world.agent({ workflowId: undefined });
      expect(await acme.refusal('svc_resume_signal_agent', { signalAgentId: id })).to.match(
        /^No enabled workflow is attached: none listens to the agent\. Call svc_update_signal_agent\.$/,
      );
    });
  });

  describe('svc_delete_signal_agent', () => {
    it('whom it enqueued goes on, or stops where that is wished', async () => {
      for (const stopRuns of [false, true]) {
        const leadId = await person();
        await world.signal({ leadId });
        const id = await world.agent();
        await world.run(id);
        await acme.call('svc_delete_signal_agent', { signalAgentId: id, stopRuns });
        const live = await world.tools.rows('select 1 from run where lead_id = $1 and ended_at is null', [leadId]);
        expect(live).to.have.length(stopRuns ? 0 : 1);
        expect(await acme.refusal('svc_get_signal_agent', { signalAgentId: id })).to.contain('svc_list_signal_agents');
        await world.forget();
      }
    });
  });

  it('A4 limits are counters in the database, per agent and local day of the workspace', async () => {
    await world.tools.force(`update workspace set timezone = 'America/New_York' where id = 'acme'`);
    for (const _ of [1, 2, 3]) await world.signal({ leadId: await person() });
    const id = await world.agent({ dailyLeadLimit: 1 });
    await world.run(id);
    await world.run(id);
    expect(await leadsOf(id, 'enqueued')).to.have.length(1);
    expect(await leadsOf(id, 'limit')).to.have.length(2);
    // Midnight in UTC is the same day there.
    world.at(Date.UTC(2026, 2, 20, 23));
    await world.run(id);
    expect(await leadsOf(id, 'enqueued')).to.have.length(2);
    world.at(Date.UTC(2026, 2, 21, 1));
    await world.run(id);
    expect(await leadsOf(id, 'enqueued')).to.have.length(2);
    world.at(Date.UTC(2026, 2, 21, 6));
    await world.run(id);
    expect(await leadsOf(id, 'enqueued')).to.have.length(3);
    await world.tools.force(`update workspace set timezone = 'UTC' where id = 'acme'`);
    await world.forget();
  });

  it('A6 loop guard: all agents of a workspace enrol a person at most once in 90 days, and our own people are no signal', async () => {
    const leadId = await person();
    await world.signal({ leadId });
    const [first, second] = [await world.agent(), await world.agent({ signalTypes: ['job_change', 'new_post'] })];
    await world.run(first);
    await world.tools.force(`update run set state = 'completed', ended_at = 1 where lead_id = $1`, [leadId]);
    await world.signal({ leadId, type: 'new_post' });
    expect((await world.run(second)).result).to.include({ duplicate: 2 });
    const own = await person('CTO', { mail: 'colleague@acme.example' });
    await world.signal({ leadId: own });
    expect((await world.run(second)).result).to.include({ self_caused: 1 });
    await world.forget();
  });

  it('an agent without a workflow puts whom it finds before the workflows that listen to it', async () => {
    const leadId = await person();
    await world.signal({ leadId });
    const graph = {
      nodes: [
        { nodeType: 'source:signal_agent' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } },
      ],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    };
    const { workflowId } = await acme.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId: world.campaignId,
      name: 'Listens',
      graph,
    });
    await world.tools.force('update workflow set enabled = true where id = $1', [workflowId]);
    const id = await world.agent({ workflowId: undefined });
    await world.run(id);
    const queued = await world.tools.rows('select lead_id, settled_at from signal_queue where signal_agent_id = $1', [
      id,
    ]);
    expect(queued).to.deep.equal([{ lead_id: leadId, settled_at: null }]);
    await world.tools.force('update workflow set enabled = false where id = $1', [workflowId]);
    await world.forget();
  });

  it('a signal of a company is about the people of it that the workspace knows, and one of nobody says so', async () => {
    const leadId = await person('CTO', { company: 'Funded Works' });
    const [row] = await world.tools.rows<{ company_id: string }>('select company_id from lead where id = $1', [leadId]);
    await world.signal({ companyId: row?.company_id ?? '', type: 'funding_round' });
    await world.signal({ companyId: '018f0000-0000-7000-8000-0000000000cc', type: 'funding_round' });
    const id = await world.agent({ signalTypes: ['funding_round'] });
    expect((await world.run(id)).result).to.include({ enqueued: 1, no_lead: 1 });
    expect(await leadsOf(id, 'no_lead')).to.have.length(1);
    await world.forget();
  });

  it('another workspace sees and runs none of it', async () => {
    const rival = await world.tools.as({ workspace: 'rival' });
    const id = await world.agent();
    for (const tool of ['get', 'update', 'delete', 'pause', 'resume', 'run'])
      expect(await rival.refusal(`svc_${tool}_signal_agent`, { signalAgentId: id })).to.contain(
        'svc_list_signal_agents',
      );
    expect(await rival.refusal('svc_get_signal_agent_stats', { signalAgentId: id })).to.contain(
      'svc_list_signal_agents',
    );
    expect((await rival.call<{ signalAgents: unknown[] }>('svc_list_signal_agents')).signalAgents).to.deep.equal([]);
  });
});
