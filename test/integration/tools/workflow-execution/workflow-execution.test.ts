import { expect } from 'chai';
import { platformAdmin } from '../../../fixtures/stories/people.ts';
import { WAIT } from '../../../fixtures/tools/diagnose-fixture.ts';
import {
  type Controlled,
  ExecutionFixture,
  type Run,
  type RunRead,
  type Triggered,
} from '../../../fixtures/tools/execution-fixture.ts';
import { type McpFixture, missing, NOBODY, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';

describe('tools: workflow execution, by an MCP client', () => {
  let fixture: McpFixture;
  let runs: ExecutionFixture;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(70);
    runs = new ExecutionFixture(fixture);
  });
  after(() => fixture.tools.stop());

  const take = (count: number): string[] => runs.take(count);
  const enabled = (): Promise<string> => runs.enabled();
  const trigger = (workflowId: string, more: object): Promise<Triggered> => runs.trigger(workflowId, more);
  const started = (count: number): ReturnType<ExecutionFixture['started']> => runs.started(count);
  const read = (runId: string): Promise<RunRead> => runs.read(runId);
  const control = (runIds: string[], action: string, more: object = {}): Promise<Controlled> =>
    runs.control(runIds, action, more);
  const foreign = async (name: string, more: object = {}): Promise<void> => {
    const workflowId = await fixture.workflow();
    for (const [user, id] of [
      [fixture.acme, NOBODY],
      [fixture.rival, workflowId],
    ] as const) {
      expect(await user.refusal(name, { workflowId: id, ...more })).to.equal(
        missing('Workflow', id, 'svc_list_workflows'),
      );
    }
  };

  describe('svc_trigger_workflow', () => {
    it('enrols, and names whom it skips and why', async () => {
      const workflowId = await enabled();
      const [here = '', again = '', gone = ''] = take(3);
      await fixture.tools.rows(
        `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
         select gen_random_uuid(), 'acme', 'workspace', 'mail', email, 'unsubscribe', 1 from lead where id = $1`,
        [gone],
      );
      await trigger(workflowId, { leadIds: [again] });
      const answer = await trigger(workflowId, { leadIds: [here, again, gone, here] });
      expect(answer.enrolled).to.equal(1);
      expect(answer.skipped).to.have.deep.members([
        { leadId: again, reason: 'already_enrolled' },
        { leadId: gone, reason: 'suppressed' },
      ]);
      const other = await trigger(await enabled(), { leadIds: [here] });
      expect(other.skipped).to.deep.equal([{ leadId: here, reason: 'claimed' }]);
    });

    it('takes nobody of another workspace, also for a user who is a member of both', async () => {
      const both = await fixture.tools.as({ memberOf: ['acme', 'rival'] });
      const workflowId = await enabled();
      const { leadId: theirs } = await fixture.rival.call<{ leadId: string }>('svc_upsert_lead', {
        email: 'eve@theirs.example',
      });
      const [pooled] = await fixture.tools.force<{ id: string }>(
        `insert into lead (id, first_name, last_name, full_name, profile_id, profile_url, created_at, updated_at)
         values (gen_random_uuid(), 'Eve', 'Pool', 'Eve Pool', 'eve-pool', 'https://www.linkedin.com/in/eve-pool', 1, 1) returning id`,
      );
      const { leadListId } = await fixture.rival.call('svc_create_lead_list', { name: 'Of another client' });
      await fixture.rival.call('svc_add_leads_to_list', { leadListId, leadIds: [theirs, pooled?.id] });
      for (const more of [{ leadIds: [theirs] }, { leadListId }]) {
        expect(await both.refusal('svc_trigger_workflow', { workflowId, ...more })).to.match(/not found/);
      }
      expect(await fixture.tools.rows('select 1 from run where workflow_id = $1', [workflowId])).to.deep.equal([]);
    });

    it('a dry run says the same and writes nothing; the same key enrols once', async () => {
      const workflowId = await enabled();
      const leadIds = take(2);
      expect(await trigger(workflowId, { leadIds, dryRun: true })).to.deep.equal({
        enrolled: 2,
        skipped: [],
        skippedReasons: {},
        runIds: [],
        notFound: [],
        left: 0,
        hint: null,
      });
      const runs = (): Promise<unknown[]> =>
        fixture.tools.rows('select 1 from run where workflow_id = $1', [workflowId]);
      expect(await runs()).to.have.length(0);
      const first = await trigger(workflowId, { leadIds, idempotencyKey: workflowId });
      expect(await trigger(workflowId, { leadIds, idempotencyKey: workflowId })).to.deep.equal(first);
      expect(await runs()).to.have.length(2);
      const reused = { workflowId, leadIds: take(1), idempotencyKey: workflowId };
      expect(await fixture.acme.refusal('svc_trigger_workflow', reused)).to.match(/^Invalid input: idempotencyKey/);
    });

    it('takes a list up to a bound, else the campaign pool, best first', async () => {
      const workflowId = await enabled();
      const leadIds = take(3);
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'L' });
      await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds });
      expect((await trigger(workflowId, { leadListId, maxLeads: 2 })).enrolled).to.equal(2);
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', {
        campaignId: fixture.campaignId,
      });
      const [good = '', better = '', below = ''] = take(3);
      for (const [leadId, total] of [
        [good, 60],
        [better, 90],
        [below, 49],
      ] as const) {
        await fixture.tools.rows(
          `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
           values ('acme', $1, $2, $3, $4, 0, $4, 1)`,
          [fixture.campaignId, icpId, leadId, total],
        );
      }
      const enrolled = async (more: object): Promise<string[]> => {
        const { runIds } = await trigger(workflowId, more);
        return Promise.all(runIds.map(async (runId) => (await read(runId)).run.leadId));
      };
      expect(await enrolled({ maxLeads: 1 })).to.deep.equal([better]);
      expect(await enrolled({})).to.deep.equal([good]);
    });

    it('called again, each time under a key of its own, it goes on with those of a list, and of the pool, who were not enrolled yet', async () => {
      const workflowId = await enabled();
      const leadIds = take(5);
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Long' });
      await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds });
      let calls = 0;
      const seen = async (more: object): Promise<[string[], string[]]> => {
        calls++;
        const { runIds, skipped } = await trigger(workflowId, { ...more, idempotencyKey: `${workflowId}-${calls}` });
        const runs = await Promise.all(runIds.map((runId) => read(runId)));
        return [runs.map(({ run }) => run.leadId), skipped.map((one) => one.reason)];
      };
      const [first] = await seen({ leadListId, maxLeads: 2 });
      await control(
        (await fixture.tools.rows<{ id: string }>('select id from run where workflow_id = $1', [workflowId])).map(
          (row) => row.id,
        ),
        'stop',
      );
      const [second] = await seen({ leadListId, maxLeads: 2 });
      const [third, skipped] = await seen({ leadListId, maxLeads: 3 });
      expect([...first, ...second, ...third.slice(0, 1)]).to.have.members(leadIds);
      expect(third.length + skipped.length).to.equal(3);

      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', {
        campaignId: fixture.campaignId,
      });
      const pool = take(3);
      for (const [index, leadId] of pool.entries()) {
        await fixture.tools.rows(
          `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
           values ('acme', $1, $2, $3, $4, 0, $4, 1)`,
          [fixture.campaignId, icpId, leadId, 150 - index],
        );
      }
      const [best] = await seen({ maxLeads: 1 });
      await control(
        (await fixture.tools.rows<{ id: string }>('select id from run where lead_id = $1', [best[0]])).map(
          (row) => row.id,
        ),
        'stop',
      );
      expect([best, (await seen({ maxLeads: 1 }))[0]].flat()).to.deep.equal(pool.slice(0, 2));
    });

    it('counts all it enrolled and names the first thousand runs, the rest are in svc_list_workflow_runs', async function () {
      this.timeout(60_000);
      const workflowId = await enabled();
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Crowd' });
      const rows = Array.from({ length: 1_005 }, (_, n) => `Crowd${n},crowd${n}@x.example`);
      await fixture.acme.call('svc_import_leads_csv', { csv: `Name,Email\n${rows.join('\n')}\n`, leadListId });
      const { enrolled, runIds } = await trigger(workflowId, { leadListId, maxLeads: 10_000, detail: 'full' });
      expect([enrolled, runIds.length]).to.deep.equal([1_005, 1_000]);
      const runs = await fixture.tools.rows<{ id: string }>('select id from run where workflow_id = $1', [workflowId]);
      expect(runs.map(({ id }) => id)).to.include.members(runIds);
      expect(runs).to.have.length(1_005);
    });

    it('says how many its bound left and how to go on, and going on takes them', async () => {
      const workflowId = await enabled();
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Bound' });
      await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds: take(5) });
      const first = await trigger(workflowId, { leadListId, maxLeads: 2 });
      expect([first.enrolled, first.left]).to.deep.equal([2, 3]);
      expect(first.hint).to.match(/^3 leads are left: call svc_trigger_workflow again with a new idempotencyKey/);
      const second = await trigger(workflowId, { leadListId, maxLeads: 10, idempotencyKey: `${workflowId}-on` });
      expect([second.enrolled, second.left, second.hint]).to.deep.equal([3, 0, null]);
    });

    it('goes on behind those who are skipped: a list whose first leads are all suppressed is no circle', async () => {
      const workflowId = await enabled();
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Gone' });
      const { campaignId } = fixture;
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', { campaignId });
      const [first, second, third, fourth] = take(4);
      for (const leadId of [first, second, third, fourth])
        await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds: [leadId] });
      await fixture.tools.rows(
        `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
         select gen_random_uuid(), 'acme', 'workspace', 'mail', email, 'unsubscribe', 1 from lead where id = any ($1)`,
        [[first, second]],
      );
      const dry = await trigger(workflowId, { leadListId, maxLeads: 1, dryRun: true });
      expect([dry.enrolled, dry.left]).to.deep.equal([1, 1]);
      const answer = await trigger(workflowId, { leadListId, maxLeads: 2 });
      expect([answer.enrolled, answer.left]).to.deep.equal([2, 0]);
      expect(answer.skipped.map((one) => one.leadId)).to.have.members([first, second]);
      // The same of the pool, whose best are suppressed.
      for (const [index, leadId] of [first, second, ...take(1)].entries())
        await fixture.tools.rows(
          `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
           values ('acme', $1, $2, $3, $4, 0, $4, 1)`,
          [campaignId, icpId, leadId, 190 - index],
        );
      const pooled = await trigger(workflowId, { maxLeads: 1 });
      expect([pooled.enrolled, pooled.skipped.length]).to.deep.equal([1, 2]);
    });

    it('goes on behind any number of those who are skipped, with a small bound too, and starts no more than that', async () => {
      const workflowId = await enabled();
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Deep' });
      const made = await fixture.tools.rows<{ id: string; email: string }>(
        `insert into lead (id, workspace_id, full_name, email, created_at, updated_at)
         select gen_random_uuid(), 'acme', 'Deep ' || n, 'deep' || n || '@deep.example', 1, 1 from generate_series(1, 40) n
         returning id, email`,
      );
      const at = ({ email }: { email: string }): number => Number(/\d+/.exec(email)?.[0]);
      const inOrder = made.toSorted((a, b) => at(a) - at(b)).map(({ id }) => id);
      await fixture.tools.rows(
        `insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at)
         select 'acme', $1, l, n from unnest($2::uuid[]) with ordinality u (l, n)`,
        [leadListId, inOrder],
      );
      await fixture.tools.rows(
        `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
         select gen_random_uuid(), 'acme', 'workspace', 'mail', email, 'unsubscribe', 1 from lead where id = any ($1)`,
        [inOrder.slice(0, 35)],
      );
      const answer = await trigger(workflowId, { leadListId, maxLeads: 1, detail: 'full' });
      expect([answer.enrolled, answer.skipped.length, answer.left]).to.deep.equal([1, 35, 4]);
      const [run] = await fixture.tools.rows<{ lead_id: string }>('select lead_id from run where id = $1', [
        answer.runIds[0],
      ]);
      expect(run?.lead_id).to.equal(inOrder[35]);
    });

    it('ignoreScore holds for the pool, leads of the shared one included; without it the hint counts who is below', async () => {
      const workflowId = await enabled();
      const { campaignId } = fixture;
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', { campaignId });
      const [shared] = await fixture.tools.force<{ id: string }>(
        `insert into lead (id, first_name, last_name, full_name, profile_id, profile_url, created_at, updated_at)
         values (gen_random_uuid(), 'Sha', 'Red', 'Sha Red', 'sha-red', 'https://www.linkedin.com/in/sha-red', 1, 1) returning id`,
      );
      await fixture.tools.rows(
        `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
         values ('acme', $1, $2, $3, 12, 0, 12, 1)`,
        [campaignId, icpId, shared?.id],
      );
      expect((await trigger(workflowId, { maxLeads: 10_000 })).hint).to.match(
        /leads are below the scoreMin .* ignoreScore: true/,
      );
      const { runIds } = await trigger(workflowId, { maxLeads: 10_000, ignoreScore: true });
      const leads = await Promise.all(runIds.map(async (runId) => (await read(runId)).run.leadId));
      expect(leads).to.include(shared?.id);
    });

    it('one bad id costs that id', async () => {
      const workflowId = await enabled();
      const [here = ''] = take(1);
      const answer = await trigger(workflowId, { leadIds: [here, NOBODY, 'no-id'] });
      expect([answer.enrolled, answer.notFound]).to.deep.equal([1, [NOBODY, 'no-id']]);
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Bad' });
      const added = await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds: [here, NOBODY] });
      expect(added).to.deep.include({ added: 1, notFound: [NOBODY] });
      const removed = await fixture.acme.call('svc_remove_leads_from_list', { leadListId, leadIds: [here, NOBODY] });
      expect(removed).to.deep.include({ removed: 1, notFound: [NOBODY] });
      const paused = await control([...answer.runIds, NOBODY], 'pause');
      expect(paused).to.deep.include({ changed: 1, notFound: [NOBODY] });
    });

    it('the total decides whether a lead belongs: who is below is skipped and named, unless the caller overrides it', async () => {
      const workflowId = await enabled();
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', {
        campaignId: fixture.campaignId,
      });
      const [low = '', high = '', unscored = ''] = take(3);
      for (const [leadId, total] of [
        [low, 49],
        [high, 50],
      ] as const) {
        await fixture.tools.rows(
          `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
           values ('acme', $1, $2, $3, $4, 0, $4, 1)`,
          [fixture.campaignId, icpId, leadId, total],
        );
      }
      const answer = await trigger(workflowId, { leadIds: [low, high, unscored] });
      expect([answer.enrolled, answer.skipped]).to.deep.equal([2, [{ leadId: low, reason: 'below_score' }]]);
      expect(answer.hint).to.match(/ignoreScore: true/);
      expect((await trigger(workflowId, { leadIds: [low], ignoreScore: true })).enrolled).to.equal(1);
    });

    it('says that a held workflow keeps whom it enrols, and who stopped it', async () => {
      const workflowId = await enabled();
      await fixture.tools.force(
        `insert into hold (workspace_id, kind, id, reason, held_by, created_at)
         values ('acme', 'workflow', $1, 'StoppedByTool', 'ada', 1)`,
        [workflowId],
      );
      for (const dryRun of [true, false]) {
        const answer = await trigger(workflowId, { leadIds: take(1), dryRun });
        expect([answer.enrolled, answer.hint]).to.deep.equal([
          1,
          'Who is enrolled waits: The workflow was stopped by ada. Call svc_update_workflow_status to let them go on.',
        ]);
      }
    });

    it('says why nobody comes from the pool of a campaign without ICP', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', {
        title: 'No ICP',
      });
      const csv = 'first name,last name,email\nPol,Pool,pol@pool.example';
      await fixture.acme.call('svc_import_leads_csv', { csv, campaignId });
      const nodes = [{ nodeType: 'source:manual' }, WAIT];
      const graph = { nodes, edges: [{ sourceIndex: 0, targetIndex: 1 }] };
      const made = { campaignId, name: 'By pool', graph };
      const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
      await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      const answer = await trigger(workflowId, {});
      expect(answer.enrolled).to.equal(0);
      expect(answer.hint).to.match(/^Nobody was enrolled from the campaign's pool\. .*no ICP.*Call svc_create_icp/);
    });

    it('refuses a disabled workflow, and leads, lists and workflows that are not there', async () => {
      const workflowId = await fixture.workflow();
      expect(await fixture.acme.refusal('svc_trigger_workflow', { workflowId })).to.equal(
        'The workflow is disabled. Call svc_update_workflow_status.',
      );
      const on = await enabled();
      expect(await fixture.acme.refusal('svc_trigger_workflow', { workflowId: on, leadIds: [NOBODY] })).to.equal(
        missing('Lead', NOBODY, 'svc_search_leads'),
      );
      expect(await fixture.acme.refusal('svc_trigger_workflow', { workflowId: on, leadListId: NOBODY })).to.equal(
        missing('Lead list', NOBODY, 'svc_list_lead_lists'),
      );
      await foreign('svc_trigger_workflow');
    });
  });

  describe('svc_get_workflow_stats', () => {
    it('counts runs by state, who stands where, and why they wait', async () => {
      const { workflowId, runIds } = await started(3);
      const [stopped = '', waiting = ''] = runIds;
      await control([stopped], 'stop');
      await control([waiting], 'move', { nodeId: 'wait' });
      const stats = await fixture.acme.call<{
        totals: Record<string, number>;
        nodes: { nodeId: string; standing: number; waiting: Record<string, number> }[];
        waiting: Record<string, number>;
      }>('svc_get_workflow_stats', { workflowId });
      expect(stats.totals).to.include({ queued: 1, waiting: 1, stopped: 1, failed: 0 });
      expect(stats.nodes.find((node) => node.nodeId === 'wait')?.standing).to.equal(1);
      expect(stats.waiting).to.include({ duration: 1, budget: 0 });
      const waits = stats.nodes.filter((node) => Object.keys(node.waiting).length > 0);
      expect(waits, 'where they wait').to.have.length(1);
      expect(waits[0]).to.deep.include({ nodeId: 'wait', waiting: { duration: 1 } });
    });

    it('who came to a step has come to it, whether they left it by an outcome or were stopped or moved there', async () => {
      const { workflowId, runIds } = await started(3);
      const [stopped = '', moved = ''] = runIds;
      await control(runIds, 'move', { nodeId: 'wait' });
      await control([stopped], 'stop');
      const came = async (): Promise<Record<string, number>> => {
        const { nodes } = await fixture.acme.call<{ nodes: { nodeId: string; entered: number }[] }>(
          'svc_get_workflow_stats',
          { workflowId },
        );
        return Object.fromEntries(nodes.map((node) => [node.nodeId, node.entered]));
      };
      expect(await came()).to.include({ wait: 3, connect: 0 });
      await control([moved], 'move', { nodeId: 'connect' });
      expect(await came()).to.include({ wait: 3, connect: 1 });
    });

    it('answers a missing and a foreign workflow alike', () => foreign('svc_get_workflow_stats'));
  });

  describe('svc_list_leads_at_node', () => {
    it('lists who stands there now, in pages without gaps', async () => {
      const { workflowId, leadIds, runIds } = await started(3);
      await control(runIds, 'move', { nodeId: 'wait' });
      const seen: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: { leads: { leadId: string; fullName: string }[]; nextCursor: string | null } =
          await fixture.acme.call('svc_list_leads_at_node', {
            workflowId,
            nodeId: 'wait',
            limit: 2,
            ...(cursor ? { cursor } : {}),
          });
        seen.push(...page.leads.map((lead) => lead.leadId));
        cursor = page.nextCursor;
        if (cursor === null) break;
      }
      expect(seen.toSorted()).to.deep.equal(leadIds.toSorted());
    });

    it('refuses a node that is not in the graph, and a workflow that is not there', async () => {
      const workflowId = await fixture.workflow();
      expect(await fixture.acme.refusal('svc_list_leads_at_node', { workflowId, nodeId: 'none' })).to.equal(
        missing('Workflow node', 'none', 'svc_get_workflow'),
      );
      await foreign('svc_list_leads_at_node', { nodeId: 'wait' });
    });
  });

  describe('svc_list_workflow_runs', () => {
    it('narrows by workflow, lead and state, in pages without gaps', async () => {
      const { workflowId, leadIds, runIds } = await started(3);
      await control(runIds.slice(0, 1), 'stop');
      const list = (more: object): Promise<{ runs: Run[]; nextCursor: string | null }> =>
        fixture.acme.call('svc_list_workflow_runs', { workflowId, ...more });
      const first = await list({ limit: 2 });
      const rest = await list({ limit: 2, cursor: first.nextCursor });
      const ids = [...first.runs, ...rest.runs].map((run) => run.runId);
      expect(ids.toSorted()).to.deep.equal(runIds.toSorted());
      expect((await list({ state: 'stopped' })).runs.map((run) => run.runId)).to.deep.equal(runIds.slice(0, 1));
      expect((await list({ leadId: leadIds[1] })).runs).to.have.length(1);
      expect(await fixture.rival.call('svc_list_workflow_runs')).to.deep.equal({ runs: [], nextCursor: null });
    });

    it('refuses a lead and a workflow that are not there', async () => {
      expect(await fixture.acme.refusal('svc_list_workflow_runs', { leadId: NOBODY })).to.equal(
        missing('Lead', NOBODY, 'svc_search_leads'),
      );
      await foreign('svc_list_workflow_runs');
    });
  });

  describe('svc_get_workflow_run', () => {
    it('tells the path from the start on', async () => {
      const { runIds, leadIds } = await started(1);
      const { run, timeline } = await read(runIds[0] ?? '');
      expect(run).to.deep.include({ leadId: leadIds[0], state: 'queued', endReason: null });
      expect(timeline.map((event) => event.kind)).to.deep.equal(['run.started']);
    });

    it('answers a missing and a foreign run alike', async () => {
      const [runId = ''] = (await started(1)).runIds;
      for (const [user, id] of [
        [fixture.acme, NOBODY],
        [fixture.rival, runId],
      ] as const) {
        expect(await user.refusal('svc_get_workflow_run', { runId: id })).to.equal(
          missing('Workflow run', id, 'svc_list_workflow_runs'),
        );
      }
    });
  });

  it('the history of a run says that it ended where its account was taken away', async () => {
    const { runIds } = await started(1);
    const [runId = ''] = runIds;
    await fixture.tools.force('update run set account_id = $2 where id = $1', [runId, fixture.accountId]);
    const boss = await platformAdmin(fixture.tools);
    const link = { accountKind: 'network', accountId: fixture.accountId, workspaceId: 'acme' };
    await boss.call('svc_admin_link_account', { action: 'unlink', ...link });
    await boss.call('svc_admin_link_account', { action: 'link', ...link });
    const { run, timeline } = await read(runId);
    expect(run).to.include({ state: 'stopped', endReason: 'account unlinked' });
    expect(timeline.at(-1)).to.deep.include({ kind: 'run.completed', text: 'account unlinked' });
  });
});
