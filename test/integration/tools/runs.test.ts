import { expect } from 'chai';
import type { ToolCalls } from '../../tools/tool-calls.ts';
import { workspaceKey } from '../../tools/tool-calls.ts';
import { NAMES, type Stage, startStage } from './workflow-stage.ts';

interface Triggered {
  enrolled: number;
  skipped: { leadId: string; reason: string }[];
  runIds: string[];
}
interface Run {
  runId: string;
  state: string;
  currentNodeId: string | null;
  nextActionAt: string | null;
  endReason: string | null;
}

describe('runs by tool', () => {
  let stage: Stage;
  let tools: ToolCalls;
  beforeEach(async () => {
    stage = await startStage();
    ({ tools } = stage);
    await tools.call('svc_update_workflow_status', { workflowId: stage.workflowId, enabled: true });
  });
  afterEach(() => tools.stop());
  const id = (name: string): string => stage.leads[name] ?? '';
  const trigger = (more: object): Promise<Triggered> =>
    tools.call<Triggered>('svc_trigger_workflow', { workflowId: stage.workflowId, ...more });
  const control = (
    runIds: string[],
    action: string,
    more: object = {},
  ): Promise<{ changed: number; unchanged: { message: string }[] }> =>
    tools.call('svc_control_workflow_runs', { runIds, action, ...more });
  const run = async (runId: string): Promise<{ run: Run; timeline: { kind: string; text: string; data: object }[] }> =>
    tools.call('svc_get_workflow_run', { runId });
  const start = async (name: string): Promise<string> => (await trigger({ leadIds: [id(name)] })).runIds[0] ?? '';
  const suppress = (leadId: string, more = ''): Promise<unknown> =>
    tools.rows(
      `insert into suppression (id, workspace_id, level, kind, value, source, created_at${more ? ', expires_at' : ''})
       select gen_random_uuid(), 'acme', 'workspace', 'mail', email, 'unsubscribe', 1${more} from lead where id = $1`,
      [leadId],
    );

  it('trigger enrols, and names whom it skips and why', async () => {
    await suppress(id('Cy'));
    await start('Bo');
    const answer = await trigger({ leadIds: [id('Ada'), id('Bo'), id('Cy'), id('Ada')] });
    expect(answer.enrolled).to.equal(1);
    expect(answer.skipped).to.have.deep.members([
      { leadId: id('Bo'), reason: 'already_enrolled' },
      { leadId: id('Cy'), reason: 'suppressed' },
    ]);
    expect(await tools.rows('select 1 from run')).to.have.length(2);
  });

  it('a person followed by another workflow of the workspace is claimed', async () => {
    const { workflowId } = await tools.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId: stage.campaignId,
      name: 'Second',
      graph: { nodes: [{ nodeType: 'network:profile_view' }], edges: [] },
    });
    await tools.call('svc_update_workflow_status', { workflowId, enabled: true });
    await start('Ada');
    const { skipped } = await trigger({ workflowId, leadIds: [id('Ada')] });
    expect(skipped).to.deep.equal([{ leadId: id('Ada'), reason: 'claimed' }]);
  });

  it('a dry run tells the same and writes nothing', async () => {
    const answer = await trigger({ leadIds: NAMES.map(id), dryRun: true });
    expect(answer).to.deep.equal({ enrolled: 5, skipped: [], runIds: [] });
    expect(await tools.rows('select 1 from run')).to.have.length(0);
    expect(await tools.rows('select 1 from contact_claim')).to.have.length(0);
  });

  it('a list, a bound, and a repeated idempotency key', async () => {
    const { leadListId } = await tools.call<{ leadListId: string }>('svc_create_lead_list', { name: 'L' });
    await tools.call('svc_add_leads_to_list', { leadListId, leadIds: NAMES.map(id) });
    const first = await trigger({ leadListId, maxLeads: 2, idempotencyKey: 'k' });
    expect(first.enrolled).to.equal(2);
    expect(await trigger({ leadListId, maxLeads: 2, idempotencyKey: 'k' })).to.deep.equal(first);
    expect(await tools.rows('select 1 from run')).to.have.length(2);
    expect(
      await tools.refusal('svc_trigger_workflow', { workflowId: stage.workflowId, maxLeads: 1, idempotencyKey: 'k' }),
    ).to.match(/^Invalid input: idempotencyKey/);
  });

  it('without leads the campaign pool is enrolled: who reaches the score, best first', async () => {
    expect(await trigger({})).to.deep.equal({ enrolled: 0, skipped: [], runIds: [] });
    const { icpId } = await tools.call<{ icpId: string }>('svc_create_icp', { campaignId: stage.campaignId });
    for (const [name, total] of [
      ['Ada', 90],
      ['Bo', 60],
      ['Cy', 49],
    ] as const) {
      await tools.rows(
        `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
         values ('acme', $1, $2, $3, $4, 0, $4, 1)`,
        [stage.campaignId, icpId, id(name), total],
      );
    }
    expect((await trigger({ maxLeads: 1 })).enrolled).to.equal(1);
    expect(await tools.rows('select lead_id from run')).to.deep.equal([{ lead_id: id('Ada') }]);
    expect((await trigger({})).enrolled).to.equal(1);
  });

  it('a disabled workflow, unknown leads and lists are refused', async () => {
    const { workflowId } = stage;
    const unknown = '018f0000-0000-7000-8000-000000000000';
    expect(await tools.refusal('svc_trigger_workflow', { workflowId, leadIds: [id('Ada'), unknown] })).to.match(
      /^Lead ".*" was not found/,
    );
    expect(await tools.refusal('svc_trigger_workflow', { workflowId, leadListId: 'x' })).to.match(/^Lead list "x"/);
    await tools.call('svc_update_workflow_status', { workflowId, enabled: false });
    expect(await tools.refusal('svc_trigger_workflow', { workflowId, leadIds: [id('Ada')] })).to.equal(
      'The workflow is disabled. Call svc_update_workflow_status.',
    );
    expect(await tools.rows('select 1 from run')).to.have.length(0);
  });

  it('lists runs by lead, workflow and state, in pages without gaps', async () => {
    await trigger({ leadIds: NAMES.map(id) });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { runs: Run[]; nextCursor: string | null } = await tools.call('svc_list_workflow_runs', {
        workflowId: stage.workflowId,
        state: 'queued',
        limit: 2,
        ...(cursor ? { cursor } : {}),
      });
      seen.push(...page.runs.map((one) => one.runId));
      cursor = page.nextCursor;
    } while (cursor);
    expect(new Set(seen).size).to.equal(5);
    expect(seen).to.have.length(5);
    const mine = await tools.call<{ runs: Run[] }>('svc_list_workflow_runs', { leadId: id('Ada') });
    expect(mine.runs).to.have.length(1);
    expect(await tools.call('svc_list_workflow_runs', {}, workspaceKey('rival'))).to.deep.equal({
      runs: [],
      nextCursor: null,
    });
  });

  it('a timeline begins with the start; a foreign run is not found', async () => {
    const runId = await start('Ada');
    expect((await run(runId)).timeline.map((event) => event.kind)).to.deep.equal(['run.started']);
    const text = `Workflow run "${runId}" was not found. Call svc_list_workflow_runs to find valid IDs.`;
    expect(await tools.refusal('svc_get_workflow_run', { runId }, workspaceKey('rival'))).to.equal(text);
    const stop = { runIds: [runId], action: 'stop' };
    expect(await tools.refusal('svc_control_workflow_runs', stop, workspaceKey('rival'))).to.equal(text);
  });

  it('pause keeps the place until the named time, resume goes on at once', async () => {
    const runId = await start('Ada');
    expect(await control([runId], 'pause', { resumeAt: '2026-04-01T00:00:00Z' })).to.include({ changed: 1 });
    expect((await run(runId)).run).to.include({ state: 'paused', nextActionAt: '2026-04-01T00:00:00.000Z' });
    expect((await control([runId], 'pause')).unchanged[0]?.message).to.match(/paused already/);
    expect(await control([runId], 'resume')).to.include({ changed: 1 });
    expect((await run(runId)).run).to.include({ state: 'waiting', nextActionAt: '2026-03-02T10:00:00.000Z' });
    expect((await control([runId], 'resume')).unchanged[0]?.message).to.match(/not paused/);
  });

  it('stop ends a run with its reason and releases the person', async () => {
    const runId = await start('Ada');
    await control([runId], 'stop', { reason: 'asked by phone' });
    const { run: ended, timeline } = await run(runId);
    expect(ended).to.include({ state: 'stopped', endReason: 'asked by phone', nextActionAt: null });
    expect(timeline.at(-1)).to.deep.include({ kind: 'run.completed', text: 'asked by phone' });
    expect((await control([runId], 'stop')).unchanged[0]?.message).to.match(/has ended \(stopped\)/);
    expect(await start('Ada')).to.not.equal('');
  });

  it('retry takes up a failed run only, and never repeats a send that may have happened', async () => {
    const runId = await start('Ada');
    expect((await control([runId], 'retry')).unchanged[0]?.message).to.match(/not failed/);
    const fail = (): Promise<unknown> =>
      tools.rows(`update run set state = 'failed', ended_at = 5, end_reason = 'x', node_id = 'n' where id = $1`, [
        runId,
      ]);
    await fail();
    expect(await control([runId], 'retry')).to.include({ changed: 1 });
    expect((await run(runId)).run).to.include({ state: 'waiting', endReason: null });
    await tools.rows(
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
       select gen_random_uuid(), workspace_id, workflow_id, campaign_id, id, 'n', lead_id, person_id, $2, 'message', 'unknown', 1, 1 from run where id = $1`,
      [runId, stage.accountId],
    );
    await fail();
    expect((await control([runId], 'retry')).unchanged[0]?.message).to.match(/unknown; it is never repeated/);
  });

  it('move needs a node of the graph; stats and leads at a node follow', async () => {
    const runId = await start('Ada');
    const refused = { runIds: [runId], action: 'move' };
    expect(await tools.refusal('svc_control_workflow_runs', refused)).to.equal(
      'Invalid input: nodeId: is required for move',
    );
    expect(await tools.refusal('svc_control_workflow_runs', { ...refused, nodeId: 'none' })).to.equal(
      'Workflow node "none" was not found. Call svc_get_workflow to find valid IDs.',
    );
    const { workflow } = await tools.call<{ workflow: { graph: { nodes: { nodeId: string }[] } } }>(
      'svc_get_workflow',
      { workflowId: stage.workflowId },
    );
    const nodeId = workflow.graph.nodes[2]?.nodeId ?? '';
    expect(await control([runId], 'move', { nodeId })).to.include({ changed: 1 });
    expect((await run(runId)).run.currentNodeId).to.equal(nodeId);
    const at = await tools.call<{ leads: { leadId: string; fullName: string }[] }>('svc_list_leads_at_node', {
      workflowId: stage.workflowId,
      nodeId,
    });
    expect(at.leads).to.have.length(1);
    expect(at.leads[0]).to.include({ leadId: id('Ada'), fullName: 'Ada Lead' });
    const stats = await tools.call<{
      totals: Record<string, number>;
      nodes: { nodeId: string; standing: number }[];
      waiting: Record<string, number>;
    }>('svc_get_workflow_stats', { workflowId: stage.workflowId });
    expect(stats.totals).to.include({ waiting: 1, failed: 0 });
    expect(stats.waiting).to.include({ duration: 1, budget: 0 });
    expect(stats.nodes.find((node) => node.nodeId === nodeId)?.standing).to.equal(1);
  });

  it('one call changes what it can and names the rest; an unknown run refuses the whole call', async () => {
    const [a, b] = [await start('Ada'), await start('Bo')];
    await control([a], 'stop');
    const answer = await control([a, b], 'pause');
    expect(answer.changed).to.equal(1);
    expect(answer.unchanged).to.have.length(1);
    const unknown = '018f0000-0000-7000-8000-000000000000';
    expect(await tools.refusal('svc_control_workflow_runs', { runIds: [b, unknown], action: 'stop' })).to.match(
      /was not found/,
    );
    expect((await run(b)).run.state).to.equal('paused');
  });
});
