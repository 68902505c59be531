import { expect } from 'chai';
import { DAY, type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { platformAdmin } from '../../fixtures/stories/people.ts';
import type { ToolUser } from '../../tools/mcp-tools.ts';

const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

interface Run {
  runId: string;
  leadId: string;
  state: string;
  currentNodeId: string | null;
  waitReason: string | null;
  nextActionAt: string | null;
}

// What is shown of a lead is what binds now, and when it is looked at again: never a time that has passed, nor a cause that is over.
describe('story: why a lead waits', function () {
  this.timeout(120_000);
  let fixture: EngineFixture;
  let admin: ToolUser;
  let workspaceId: string;
  let campaignId: string;
  let people = 0;
  before(async () => {
    fixture = await startEngineFixture();
    admin = await platformAdmin(fixture.tools);
    ({
      workspace: { workspaceId },
    } = await fixture.acme.call<{ workspace: { workspaceId: string } }>('svc_get_workspace', {}));
    ({ campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Shown' }));
    const contactPolicy = { minDaysBetweenTouches: 0 };
    await fixture.acme.call('svc_update_campaign', { campaignId, businessHours: ALWAYS, contactPolicy });
  });
  after(() => fixture.stop());

  const flow = async (...nodes: object[]): Promise<string> => {
    const graph = {
      nodes: [{ nodeType: 'source:manual' }, ...nodes],
      edges: nodes.map((_node, index) => ({ sourceIndex: index, targetIndex: index + 1 })),
    };
    const made = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: 'F',
      graph,
    });
    await fixture.acme.call('svc_update_workflow_status', { workflowId: made.workflowId, enabled: true });
    return made.workflowId;
  };
  const MESSAGE = { nodeType: 'network:message', config: { textMode: 'static', text: 'Hello' } };
  const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 2 * HOUR } };
  const enrol = async (workflowId: string): Promise<string> => {
    const leadIds = await fixture.people([`Shown${++people}`]);
    const { runIds } = await fixture.acme.call<{ runIds: string[] }>('svc_trigger_workflow', { workflowId, leadIds });
    await fixture.pass(0);
    return runIds[0] ?? '';
  };
  /** What each tool says of the run that shows it; they agree. */
  const read = async (runId: string): Promise<Run> => {
    const { run } = await fixture.acme.call<{ run: Run & { workflowId: string } }>('svc_get_workflow_run', { runId });
    const { workflowId, currentNodeId: nodeId, leadId, waitReason, nextActionAt } = run;
    const { runs } = await fixture.acme.call<{ runs: Run[] }>('svc_list_workflow_runs', {
      leadId,
      detail: 'full',
    });
    const { leads } = await fixture.acme.call<{ leads: Run[] }>('svc_list_leads_at_node', { workflowId, nodeId });
    const { waiting } = await fixture.acme.call<{ waiting: Record<string, number> }>('svc_get_workflow_stats', {
      workflowId,
    });
    const shown = [runs, leads].map((list) => list.find((one) => one.runId === runId));
    for (const one of shown) expect(one).to.include({ waitReason, nextActionAt });
    if (waitReason !== null) expect(waiting[waitReason], waitReason).to.equal(1);
    return run;
  };
  const inHours = (hours: number): string => new Date(fixture.tools.cluster.clock.now() + hours * HOUR).toISOString();
  const freeze = (until?: string): Promise<unknown> =>
    admin.call('svc_admin_set_send_freeze', { frozen: true, reason: 'an incident', ...(until ? { until } : {}) });
  const release = (): Promise<unknown> =>
    admin.call('svc_admin_set_send_freeze', { frozen: false, reason: 'it is over' });
  const setWorkspace = (status: string): Promise<unknown> =>
    admin.call('svc_admin_update_workspace', { workspaceId, status, reason: 'test' });

  it('a freeze whose end is moved moves those who wait for it', async () => {
    const runId = await enrol(await flow(WAIT, MESSAGE));
    await freeze();
    await fixture.pass(3 * HOUR);
    expect(await read(runId)).to.include({ waitReason: 'send_freeze', nextActionAt: null });
    for (const hours of [30 * 24, 5]) {
      const until = inHours(hours);
      await freeze(until);
      await fixture.pass(0);
      expect(await read(runId)).to.include({ waitReason: 'send_freeze', nextActionAt: until });
    }
    await release();
    await fixture.pass(HOUR);
    expect(fixture.network.received).to.have.length(1);
  });

  it('a workspace that is suspended: who is due waits until it is let go, whatever they waited for before', async () => {
    const runId = await enrol(await flow(WAIT, MESSAGE));
    const due = inHours(2);
    expect(await read(runId)).to.include({ waitReason: 'duration', nextActionAt: due });
    await setWorkspace('suspended');
    const { clock } = fixture.tools.cluster;
    expect(await read(runId)).to.include({ waitReason: 'duration', nextActionAt: due });
    // Nobody works for it: the operator has ended its executor.
    clock.at = clock.now() + DAY;
    expect(await read(runId)).to.include({ waitReason: 'send_freeze', nextActionAt: null });
    await setWorkspace('active');
    const before = fixture.network.received.length;
    await fixture.pass(HOUR);
    expect(fixture.network.received).to.have.length(before + 1);
  });

  it('an account that may act again: who waited for it acts now, not at the beginning of time', async () => {
    const runId = await enrol(await flow(WAIT, MESSAGE));
    const pause = (paused: boolean): Promise<unknown> =>
      fixture.acme.call('svc_update_network_account_settings', { networkAccountId: fixture.accountId, paused });
    await pause(true);
    await fixture.pass(3 * HOUR);
    expect(await read(runId)).to.include({ state: 'blocked', waitReason: 'account_unhealthy' });
    await pause(false);
    // Before its executor comes to it.
    expect((await read(runId)).nextActionAt).to.equal(inHours(0));
    await fixture.pass(HOUR);
  });
});
