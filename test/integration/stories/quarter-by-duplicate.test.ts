import { expect } from 'chai';
import { connectAccount, openWorkspace, platformAdmin, withKeyOf } from '../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

interface Listed {
  workflows: { workflowId: string; name: string; enabled: boolean }[];
}

// Moving a campaign to another quarter, by public tools only.
describe('story: a campaign moves to another quarter by duplicate', () => {
  let tools: McpTools;
  let agency: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    const admin = await platformAdmin(tools);
    const { workspaceId, owner } = await openWorkspace(tools, admin, 'north');
    agency = await withKeyOf(tools, owner, workspaceId);
    await connectAccount(admin, [workspaceId]);
  });
  after(() => tools.stop());

  it('starts fresh with the settings that worked, and contacts nobody of last quarter again', async () => {
    // Q1 runs: settings, audience, a sequence, three people in it.
    const { campaignId: q1 } = await agency.call<{ campaignId: string }>('svc_create_campaign', {
      title: 'Q1 founders',
      goal: 'Ten talks',
    });
    await agency.call('svc_update_campaign', {
      campaignId: q1,
      scoreMin: 20,
      reviewMode: 'first_touch',
      contactPolicy: { recontactAfterDays: 120 },
    });
    await agency.call('svc_create_icp', { campaignId: q1, titles: ['Founder'] });
    await agency.call('svc_create_persona', { campaignId: q1, name: 'Founder' });
    await agency.call('svc_create_phase', { campaignId: q1, name: 'Warm up', phaseType: 'outreach' });
    const { leadListId } = await agency.call('svc_create_lead_list', { name: 'Founders', campaignId: q1 });
    const people = ['Ada', 'Bo', 'Cy'].map(
      (name) => `${name} Q,${name.toLowerCase()}@q-${name.toLowerCase()}.example,Founder`,
    );
    await agency.call('svc_import_leads_csv', { csv: `Name,Email,Title\n${people.join('\n')}\n`, leadListId });
    const graph = {
      nodes: [
        { nodeType: 'source:lead_list', config: { leadListId } },
        { nodeType: 'network:profile_view' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
      ],
      edges: [0, 1].map((index) => ({ sourceIndex: index, targetIndex: index + 1 })),
    };
    const { workflowId } = await agency.call('svc_create_workflow', { campaignId: q1, name: 'Sequence', graph });
    await agency.call('svc_update_workflow_status', { workflowId, enabled: true });
    const { leads } = await agency.call<{ leads: { leadId: string }[] }>('svc_get_lead_list', { leadListId });
    const leadIds = leads.map((lead) => lead.leadId);
    await agency.call('svc_trigger_workflow', { workflowId, leadIds });

    // The quarter ends: Q1 is completed, Q2 is a duplicate.
    await agency.call('svc_update_campaign', { campaignId: q1, status: 'completed' });
    const copy = await agency.call<{ campaignId: string; copied: { warnings: string[] } }>('svc_duplicate_campaign', {
      campaignId: q1,
      title: 'Q2 founders',
    });
    expect(copy.copied).to.deep.include({ icps: 1, personas: 1, phases: 1, workflows: 1 });
    expect(copy.copied.warnings.join(' ')).to.contain('svc_update_workflow');
    const q2 = copy.campaignId;
    const settings = async (campaignId: string): Promise<object> =>
      (await agency.call<{ campaign: { settings: object } }>('svc_get_campaign', { campaignId })).campaign.settings;
    expect(await settings(q2)).to.deep.equal(await settings(q1));

    // The copy's sequence is off, and has nobody in it.
    const { workflows } = await agency.call<Listed>('svc_list_workflows', { campaignId: q2 });
    const flow = workflows[0]?.workflowId;
    expect(workflows.map((one) => [one.name, one.enabled])).to.deep.equal([['Sequence', false]]);
    expect(await agency.call('svc_list_workflow_runs', { workflowId: flow })).to.deep.include({ runs: [] });

    // Switched on, it takes none who is still in last quarter's sequence; a new founder enters.
    await agency.call('svc_update_workflow_status', { workflowId: flow, enabled: true });
    const fresh = await agency.call<{ leadId: string }>('svc_upsert_lead', {
      email: 'dee@q-dee.example',
      firstName: 'Dee',
      title: 'Founder',
    });
    const answer = await agency.call<{ skipped: { leadId: string; reason: string }[] }>('svc_trigger_workflow', {
      workflowId: flow,
      leadIds: [...leadIds, fresh.leadId],
    });
    expect(answer.skipped.map((skip) => skip.leadId).sort()).to.deep.equal([...leadIds].sort());
    expect(new Set(answer.skipped.map((skip) => skip.reason))).to.deep.equal(new Set(['claimed']));
  });
});
