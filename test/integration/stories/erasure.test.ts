import { expect } from 'chai';
import { connectAccount, openWorkspace, platformAdmin, withKeyOf } from '../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

// A person asks to be forgotten; the client's next export still has them.
describe('story: a person is erased, and no re-import brings them back', () => {
  let tools: McpTools;
  let client: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    const admin = await platformAdmin(tools);
    const { workspaceId, owner } = await openWorkspace(tools, admin, 'north');
    client = await withKeyOf(tools, owner, workspaceId);
    await connectAccount(admin, [workspaceId]);
  });
  after(() => tools.stop());

  it('stops the sequence, forgets the data, and recognises the person in every later file', async () => {
    const csv =
      'Name,Email,Company,Title,Profile URL\nIda Voss,ida@voss.example,Voss AG,CEO,https://www.linkedin.com/in/ida-voss\nJon Voss,jon@voss.example,Voss AG,CTO,\n';
    const { campaignId } = await client.call('svc_create_campaign', { title: 'C' });
    const { leadListId } = await client.call('svc_create_lead_list', { name: 'L', campaignId });
    await client.call('svc_import_leads_csv', { csv, leadListId, tags: ['new'] });
    const search = async (query: string): Promise<string[]> =>
      (await client.call<{ leads: { leadId: string }[] }>('svc_search_leads', { query })).leads.map(
        (lead) => lead.leadId,
      );
    const [ida] = await search('ida voss');
    const graph = {
      nodes: [
        { nodeType: 'source:manual' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
      ],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    };
    const { workflowId } = await client.call('svc_create_workflow', { campaignId, name: 'F', graph });
    await client.call('svc_update_workflow_status', { workflowId, enabled: true });
    await client.call('svc_trigger_workflow', { workflowId, leadIds: [ida] });

    const erased = await client.call<{ recordsErased: Record<string, number> }>('svc_erase_lead', {
      email: 'ida@voss.example',
      reason: 'data_subject_request',
    });
    expect(erased).to.include({ erased: true, leadId: ida, tombstone: true });
    expect(erased.recordsErased).to.include({ lead: 1, runsCancelled: 1 });
    const { runs } = await client.call<{ runs: { state: string }[] }>('svc_list_workflow_runs', { workflowId });
    expect(runs.map((run) => run.state)).to.deep.equal(['suppressed']);
    expect(await search('ida voss')).to.deep.equal([]);

    // The same export, another spelling, another list, a hand entry: none brings the person back; the colleague stays.
    for (const file of [csv, 'Name,Email\nI. V.,IDA+crm@voss.example\n', 'Name,Company\nIda Voss,Voss\n']) {
      const answer = await client.call<{ created: number; errors: { message: string }[] }>('svc_import_leads_csv', {
        csv: file,
        leadListId,
      });
      expect(answer.created).to.equal(0);
      expect(answer.errors.map((error) => error.message).join()).to.contain('was erased');
    }
    expect(await client.refusal('svc_upsert_lead', { profileUrl: 'https://de.linkedin.com/in/Ida-Voss' })).to.contain(
      'was erased',
    );
    expect(await search('voss')).to.have.length(1);
  });
});
