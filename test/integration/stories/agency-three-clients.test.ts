import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

const CLIENTS = ['client-a', 'client-b', 'client-c'] as const;

// One agency, three clients, one account that sends for all of them: they share the account and nothing else.
describe('story: an agency with three client workspaces and one shared account', () => {
  let tools: McpTools;
  let agency: ToolUser;
  let accountId: string;

  before(async function () {
    this.timeout(90_000);
    tools = await startMcpTools();
    for (const client of CLIENTS) await tools.workspace(client);
    accountId = await tools.account(...CLIENTS);
    agency = await tools.as({ memberOf: CLIENTS });
  });
  after(() => tools.stop());

  it('works for each client with one key, and no client sees of another more than that the account is shared', async () => {
    const who = await agency.call<{ workspaces: { workspaceId: string }[] }>('svc_whoami');
    expect(who.workspaces.map((one) => one.workspaceId).sort()).to.deep.equal([...CLIENTS]);

    // The same person stands in all three clients' lists.
    const made: Record<string, { campaignId: string; leadId: string; workflowId: string }> = {};
    for (const workspaceId of CLIENTS) {
      const { campaignId } = await agency.call<{ campaignId: string }>('svc_create_campaign', {
        workspaceId,
        title: `For ${workspaceId}`,
      });
      const csv = `Name,Email,Company,Profile URL\nSam Shared,sam@shared.example,Shared Firm,https://www.linkedin.com/in/sam-shared\n`;
      await agency.call('svc_import_leads_csv', { workspaceId, csv, campaignId, tags: [workspaceId] });
      const { leads } = await agency.call<{ leads: { leadId: string; tags: string[] }[] }>('svc_search_leads', {
        workspaceId,
        query: 'sam',
      });
      expect(leads.map((lead) => lead.tags)).to.deep.equal([[workspaceId]]);
      const graph = {
        nodes: [{ nodeType: 'source:manual' }, { nodeType: 'network:profile_view' }],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await agency.call<{ workflowId: string }>('svc_create_workflow', {
        campaignId,
        name: 'Look',
        graph,
      });
      made[workspaceId] = { campaignId, leadId: leads[0]?.leadId ?? '', workflowId };
    }
    const { 'client-a': a, 'client-b': b } = made;
    if (!a || !b) throw new Error('not made');
    expect(new Set(Object.values(made).map((one) => one.leadId)).size).to.equal(3);

    // Each client's own key sees its own rows only; the others' are not found.
    const clientA = await tools.as({ workspace: 'client-a' });
    for (const [tool, input] of [
      ['svc_get_campaign', { campaignId: b.campaignId }],
      ['svc_get_lead', { leadId: b.leadId }],
      ['svc_get_workflow', { workflowId: b.workflowId }],
    ] as const)
      expect(await clientA.refusal(tool, input)).to.contain('was not found');
    expect(await clientA.refusal('svc_list_campaigns', { workspaceId: 'client-b' })).to.equal(
      'This key is bound to another workspace. Omit workspaceId.',
    );

    // The account is there for all of them, and its budgets are one.
    for (const client of CLIENTS) {
      const user = await tools.as({ workspace: client });
      const { networkAccounts } = await user.call<{ networkAccounts: { networkAccountId: string }[] }>(
        'svc_list_network_accounts',
      );
      expect(networkAccounts.map((one) => one.networkAccountId)).to.deep.equal([accountId]);
    }

    // What client A erases stays in the other clients' hands.
    await clientA.call('svc_erase_lead', { leadId: a.leadId, reason: 'client_request' });
    const clientB = await tools.as({ workspace: 'client-b' });
    expect((await clientB.call<{ lead: { email: string } }>('svc_get_lead', { leadId: b.leadId })).lead.email).to.equal(
      'sam@shared.example',
    );

    // A campaign that works for B is taken over for C, by the agency and not by the client.
    expect(
      await clientB.refusal('svc_duplicate_campaign', { campaignId: b.campaignId, targetWorkspaceId: 'client-c' }),
    ).to.contain('bound to another workspace');
    const copy = await agency.call<{ campaignId: string }>('svc_duplicate_campaign', {
      campaignId: b.campaignId,
      targetWorkspaceId: 'client-c',
    });
    const clientC = await tools.as({ workspace: 'client-c' });
    expect(
      (await clientC.call<{ campaign: object }>('svc_get_campaign', { campaignId: copy.campaignId })).campaign,
    ).to.include({
      status: 'draft',
      workspaceId: 'client-c',
    });
  });

  it('a member leaves one client: their key stops there at the next call, goes on elsewhere, and what they made stays', async () => {
    const leaver = await tools.as({ memberOf: CLIENTS });
    const { user } = await leaver.call<{ user: { id: string } }>('svc_whoami');
    const made = await leaver.call<{ campaignId: string }>('svc_create_campaign', {
      workspaceId: 'client-a',
      title: 'By the leaver',
    });
    const [owner] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@client-a.example'`);
    const boss = tools.user(await tools.mcp.client((await tools.mcp.key({ userId: owner?.id ?? '' })).plaintext));
    const { members } = await boss.call<{ members: { memberId: string; userId: string }[] }>('svc_list_members', {
      workspaceId: 'client-a',
    });
    const memberId = members.find((member) => member.userId === user.id)?.memberId;
    expect(await boss.call('svc_remove_member', { workspaceId: 'client-a', memberId })).to.deep.include({
      removed: true,
    });
    const stopped = 'You are not a member of workspace "client-a". Pass a workspaceId from svc_whoami.';
    expect(await leaver.refusal('svc_list_campaigns', { workspaceId: 'client-a' })).to.equal(stopped);
    expect(await leaver.refusal('svc_get_campaign', { campaignId: made.campaignId })).to.contain('was not found');
    const { workspaces } = await leaver.call<{ workspaces: { workspaceId: string }[] }>('svc_whoami');
    expect(workspaces.map((one) => one.workspaceId).sort()).to.deep.equal(['client-b', 'client-c']);
    await leaver.call('svc_list_campaigns', { workspaceId: 'client-b' });
    const kept = await boss.call<{ campaign: { title: string } }>('svc_get_campaign', { campaignId: made.campaignId });
    expect(kept.campaign.title).to.equal('By the leaver');
  });
});
