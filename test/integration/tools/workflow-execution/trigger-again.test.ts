import { expect } from 'chai';
import { type McpFixture, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';
import { SPEC_GRAPH } from '../../../fixtures/tools/workflow-fixture.ts';

interface Triggered {
  enrolled: number;
  skipped: { leadId: string; reason: string }[];
  runIds: string[];
}

// Source: catalog, conventions (natural key), and idempotentHint of the tool: made again, a call starts nothing more.
describe('svc_trigger_workflow, made again because its answer was lost', () => {
  let fixture: McpFixture;
  let next = 0;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(60);
  });
  after(() => fixture.tools.stop());

  /** Leads that no other test uses. */
  const take = (count: number): string[] => {
    next += count;
    return fixture.leads.slice(next - count, next);
  };
  /** In a campaign of its own: nobody else's pool. */
  const enabled = async (): Promise<{ workflowId: string; campaignId: string }> => {
    const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Own' });
    const made = { campaignId, name: 'Own', graph: SPEC_GRAPH };
    const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
    return { workflowId, campaignId };
  };
  const trigger = (workflowId: string, more: object, user = fixture.acme): Promise<Triggered> =>
    user.call('svc_trigger_workflow', { workflowId, ...more });
  const listOf = async (leadIds: readonly string[]): Promise<string> => {
    const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'L' });
    await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds });
    return leadListId;
  };
  /** Whom the workflow has or had, in the order in which they came. */
  const taken = async (workflowId: string): Promise<string[]> => {
    const rows = await fixture.tools.rows<{ lead_id: string }>('select lead_id from run where workflow_id = $1', [
      workflowId,
    ]);
    return rows.map((row) => row.lead_id);
  };
  const stopAll = async (runIds: readonly string[]): Promise<void> => {
    await fixture.acme.call('svc_control_workflow_runs', { runIds, action: 'stop' });
  };
  const suppress = (leadId: string): Promise<unknown> =>
    fixture.tools.rows(
      `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
       select gen_random_uuid(), 'acme', 'workspace', 'mail', email, 'manual', 1 from lead where id = $1`,
      [leadId],
    );

  it('takes no more of a list than was asked, and answers the same; a minute later, or under a key, it goes on', async () => {
    const { workflowId } = await enabled();
    const leadIds = take(6);
    const leadListId = await listOf(leadIds);
    const first = await trigger(workflowId, { leadListId, maxLeads: 2 });
    expect(first.enrolled).to.equal(2);
    expect(await trigger(workflowId, { leadListId, maxLeads: 2 })).to.deep.equal(first);
    const colleague = await fixture.tools.as({ workspace: 'acme' });
    expect(await trigger(workflowId, { leadListId, maxLeads: 2 }, colleague), 'with another key').to.deep.equal(first);
    expect(await taken(workflowId)).to.have.length(2);
    const own = await trigger(workflowId, { leadListId, maxLeads: 2, idempotencyKey: `${workflowId}-2` });
    await fixture.tools.aMinuteLater();
    const later = await trigger(workflowId, { leadListId, maxLeads: 2 });
    expect([own.enrolled, later.enrolled]).to.deep.equal([2, 2]);
    expect(await taken(workflowId)).to.have.members(leadIds);
  });

  it('takes no more of the campaign pool than was asked, and answers the same', async () => {
    const { workflowId, campaignId } = await enabled();
    const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', { campaignId });
    const pool = take(4);
    for (const [index, leadId] of pool.entries()) {
      await fixture.tools.rows(
        `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
         values ('acme', $1, $2, $3, $4, 0, $4, 1)`,
        [campaignId, icpId, leadId, 150 - index],
      );
    }
    const first = await trigger(workflowId, { maxLeads: 2 });
    expect(first.enrolled).to.equal(2);
    expect(await trigger(workflowId, { maxLeads: 2 })).to.deep.equal(first);
    await stopAll(first.runIds);
    expect(await trigger(workflowId, { maxLeads: 2 }), 'also when they are through by then').to.deep.equal(first);
    expect(await taken(workflowId)).to.have.members(pool.slice(0, 2));
    expect((await trigger(workflowId, { maxLeads: 1 })).enrolled, 'another bound is another call').to.equal(1);
  });

  it('starts those who were through in the meantime no second time', async () => {
    const { workflowId } = await enabled();
    const leadIds = take(2);
    const first = await trigger(workflowId, { leadIds });
    await stopAll(first.runIds);
    expect(await trigger(workflowId, { leadIds })).to.deep.equal(first);
    expect(await taken(workflowId)).to.have.members(leadIds);
    await fixture.tools.aMinuteLater();
    expect((await trigger(workflowId, { leadIds })).enrolled, 'later it is another call').to.equal(2);
  });

  it('calls that come at once start what one of them would', async () => {
    const { workflowId } = await enabled();
    const leadListId = await listOf(take(6));
    const call = { leadListId, maxLeads: 3 };
    const answers = await Promise.all(Array.from({ length: 4 }, () => trigger(workflowId, call)));
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(await taken(workflowId)).to.have.length(3);
  });

  it('takes whom it had to skip, once nothing stands in their way, and who came to the list, within its bound', async () => {
    const { workflowId } = await enabled();
    const [here = '', stopped = '', late = '', over = ''] = take(4);
    await suppress(stopped);
    const leadListId = await listOf([here, stopped]);
    const call = { leadListId, maxLeads: 3 };
    const first = await trigger(workflowId, call);
    expect([first.enrolled, first.skipped]).to.deep.equal([1, [{ leadId: stopped, reason: 'suppressed' }]]);
    expect(await trigger(workflowId, call)).to.deep.equal(first);
    await fixture.tools.rows(`delete from suppression where source = 'manual'`);
    await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds: [late] });
    const second = await trigger(workflowId, call);
    expect([second.enrolled, second.skipped]).to.deep.equal([3, []]);
    expect(second.runIds).to.include.members(first.runIds);
    await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds: [over] });
    expect(await trigger(workflowId, call)).to.deep.equal(second);
    expect(await taken(workflowId)).to.have.members([here, stopped, late]);
  });

  it('what enrolled nobody is no answer to give again', async () => {
    const { workflowId } = await enabled();
    const [leadId = ''] = take(1);
    await suppress(leadId);
    expect((await trigger(workflowId, { leadIds: [leadId] })).enrolled).to.equal(0);
    await fixture.tools.rows(`delete from suppression where source = 'manual'`);
    expect((await trigger(workflowId, { leadIds: [leadId] })).enrolled).to.equal(1);
  });

  it('a dry run is another call', async () => {
    const { workflowId } = await enabled();
    const leadListId = await listOf(take(3));
    const call = { leadListId, maxLeads: 2 };
    expect(await trigger(workflowId, { ...call, dryRun: true })).to.deep.include({ enrolled: 2, runIds: [] });
    expect((await trigger(workflowId, call)).enrolled).to.equal(2);
    expect(await taken(workflowId)).to.have.length(2);
  });
});
