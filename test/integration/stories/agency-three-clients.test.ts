import { expect } from 'chai';
import {
  connectAccount,
  join,
  openWorkspace,
  platformAdmin,
  searchAll,
  withKeyOf,
} from '../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

const CLIENTS = ['client-a', 'client-b', 'client-c'] as const;
type Name = (typeof CLIENTS)[number];

/** A client of the agency: its workspace, its owner, and somebody with a key of it. */
interface Client {
  workspaceId: string;
  owner: ToolUser;
  user: ToolUser;
}

// One agency, three clients, one account that sends for all of them: they share the account and nothing else.
describe('story: an agency with three client workspaces and one shared account', () => {
  let tools: McpTools;
  let agency: ToolUser;
  let accountId: string;
  const clients = new Map<Name, Client>();
  const client = (name: Name): Client => {
    const found = clients.get(name);
    if (!found) throw new Error(`${name} was not made`);
    return found;
  };
  /** Somebody who joins every client. */
  const joinAll = async (email: string): Promise<ToolUser> => {
    let key: string | undefined;
    for (const { owner, workspaceId } of clients.values()) key = await join(owner, workspaceId, email, key);
    return tools.user(await tools.mcp.client(key ?? ''));
  };
  const ids = (): string[] => CLIENTS.map((name) => client(name).workspaceId);

  before(async function () {
    this.timeout(90_000);
    tools = await startMcpTools();
    const admin = await platformAdmin(tools);
    for (const name of CLIENTS) {
      const opened = await openWorkspace(tools, admin, name, { agencyId: 'north' });
      clients.set(name, { ...opened, user: await withKeyOf(tools, opened.owner, opened.workspaceId) });
    }
    accountId = await connectAccount(admin, ids());
    agency = await joinAll('ann@north.example');
  });
  after(() => tools.stop());

  it('works for each client with one key, and no client sees of another more than that the account is shared', async () => {
    const who = await agency.call<{ workspaces: { workspaceId: string }[] }>('svc_whoami');
    expect(who.workspaces.map((one) => one.workspaceId).sort()).to.deep.equal(ids().sort());

    // The same person stands in all three clients' lists.
    const made: Record<string, { campaignId: string; leadId: string; workflowId: string }> = {};
    for (const name of CLIENTS) {
      const { workspaceId } = client(name);
      const { campaignId } = await agency.call<{ campaignId: string }>('svc_create_campaign', {
        workspaceId,
        title: `For ${name}`,
      });
      const csv = `Name,Email,Company,Profile URL\nSam Shared,sam@shared.example,Shared Firm,https://www.linkedin.com/in/sam-shared\n`;
      await agency.call('svc_import_leads_csv', { workspaceId, csv, campaignId, tags: [name] });
      const { leads } = await agency.call<{ leads: { leadId: string; tags: string[] }[] }>('svc_search_leads', {
        detail: 'full',
        workspaceId,
        query: 'sam',
      });
      expect(leads.map((lead) => lead.tags)).to.deep.equal([[name]]);
      const graph = {
        nodes: [{ nodeType: 'source:manual' }, { nodeType: 'network:profile_view' }],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await agency.call<{ workflowId: string }>('svc_create_workflow', {
        campaignId,
        name: 'Look',
        graph,
      });
      made[name] = { campaignId, leadId: leads[0]?.leadId ?? '', workflowId };
    }
    const { 'client-a': a, 'client-b': b } = made;
    if (!a || !b) throw new Error('not made');
    expect(new Set(Object.values(made).map((one) => one.leadId)).size).to.equal(3);

    // Each client's own key sees its own rows only; the others' are not found.
    const clientA = client('client-a').user;
    for (const [tool, input] of [
      ['svc_get_campaign', { campaignId: b.campaignId }],
      ['svc_get_lead', { leadId: b.leadId }],
      ['svc_get_workflow', { workflowId: b.workflowId }],
    ] as const)
      expect(await clientA.refusal(tool, input)).to.contain('was not found');
    expect(await clientA.refusal('svc_list_campaigns', { workspaceId: client('client-b').workspaceId })).to.equal(
      'This key is bound to another workspace. Omit workspaceId.',
    );

    // The account is there for all of them, and its budgets are one.
    for (const { user } of clients.values()) {
      const { networkAccounts } = await user.call<{ networkAccounts: { networkAccountId: string }[] }>(
        'svc_list_network_accounts',
      );
      expect(networkAccounts.map((one) => one.networkAccountId)).to.deep.equal([accountId]);
    }

    // What client A erases stays in the other clients' hands.
    await clientA.call('svc_erase_lead', { leadId: a.leadId, reason: 'client_request' });
    const clientB = client('client-b').user;
    expect((await clientB.call<{ lead: { email: string } }>('svc_get_lead', { leadId: b.leadId })).lead.email).to.equal(
      'sam@shared.example',
    );

    // A campaign that works for B is taken over for C, by the agency and not by the client.
    expect(
      await clientB.refusal('svc_duplicate_campaign', {
        campaignId: b.campaignId,
        targetWorkspaceId: client('client-c').workspaceId,
      }),
    ).to.contain('bound to another workspace');
    const copy = await agency.call<{ campaignId: string }>('svc_duplicate_campaign', {
      campaignId: b.campaignId,
      targetWorkspaceId: client('client-c').workspaceId,
    });
    const clientC = client('client-c').user;
    expect(
      (await clientC.call<{ campaign: object }>('svc_get_campaign', { campaignId: copy.campaignId })).campaign,
    ).to.include({
      status: 'draft',
      workspaceId: client('client-c').workspaceId,
    });
  });

  it('a member leaves one client: their keys stop there at the next call, go on elsewhere, and what they made stays', async () => {
    const [a = '', b = '', c = ''] = ids();
    const { owner } = client('client-a');
    const leaver = await joinAll('leaver@north.example');
    const { user } = await leaver.call<{ user: { id: string } }>('svc_whoami');
    const made = await leaver.call<{ campaignId: string }>('svc_create_campaign', {
      workspaceId: a,
      title: 'By the leaver',
    });
    const { members } = await owner.call<{ members: { memberId: string; userId: string }[] }>('svc_list_members', {
      workspaceId: a,
    });
    const memberId = members.find((member) => member.userId === user.id)?.memberId;
    expect(await owner.call('svc_remove_member', { workspaceId: a, memberId })).to.deep.include({ removed: true });
    const stopped = `You are not a member of workspace "${a}". Pass a workspaceId from svc_whoami.`;
    expect(await leaver.refusal('svc_list_campaigns', { workspaceId: a })).to.equal(stopped);
    expect(await leaver.refusal('svc_get_campaign', { campaignId: made.campaignId })).to.contain('was not found');
    const { workspaces } = await leaver.call<{ workspaces: { workspaceId: string }[] }>('svc_whoami');
    expect(workspaces.map((one) => one.workspaceId).sort()).to.deep.equal([b, c].sort());
    await leaver.call('svc_list_campaigns', { workspaceId: b });
    const kept = await owner.call<{ campaign: { title: string } }>('svc_get_campaign', { campaignId: made.campaignId });
    expect(kept.campaign.title).to.equal('By the leaver');
  });

  it('a client that shares its exclusions keeps the others from writing to whom it lost, as long as it shares', async () => {
    const graph = { nodes: [{ nodeType: 'network:profile_view' }], edges: [] };
    const enrolled = async ({ user }: Client): Promise<string[]> => {
      const { campaignId } = await user.call<{ campaignId: string }>('svc_create_campaign', { title: 'Lost' });
      const made = { campaignId, name: 'Look', graph };
      const { workflowId } = await user.call<{ workflowId: string }>('svc_create_workflow', made);
      await user.call('svc_update_workflow_status', { workflowId, enabled: true });
      const [leadId] = (await searchAll(user, { query: 'lou', includeSuppressed: true })).map((lead) => lead.leadId);
      const answer = await user.call<{ skipped: { reason: string }[] }>('svc_trigger_workflow', {
        workflowId,
        leadIds: [leadId],
      });
      await user.call('svc_update_workflow_status', { workflowId, enabled: false });
      await user.call('svc_delete_workflow', { workflowId });
      return answer.skipped.map((skip) => skip.reason);
    };
    for (const { user } of clients.values())
      await user.call('svc_import_leads_csv', {
        csv: 'Name,Profile URL\nLou Lost,https://www.linkedin.com/in/lou-lost\n',
      });
    const [a, b] = [client('client-a'), client('client-b')];
    const [lost] = await searchAll(a.user, { query: 'lou' });
    await a.user.call('svc_erase_lead', { leadId: lost?.leadId, reason: 'data_subject_request' });
    expect(await enrolled(b), 'not shared').to.deep.equal([]);

    await a.owner.call('svc_update_workspace', { workspaceId: a.workspaceId, shareSuppressionWithAgency: true });
    expect(await enrolled(b)).to.deep.equal(['suppressed']);
    expect(await searchAll(b.user, { query: 'lou' })).to.deep.equal([]);
    const [seen] = await searchAll(b.user, { query: 'lou', includeSuppressed: true });
    const { checks } = await b.user.call<{ checks: { check: string; detail: string }[] }>('svc_diagnose', {
      target: 'lead',
      targetId: seen?.leadId,
    });
    expect(checks.find((check) => check.check === 'not_suppressed')?.detail).to.match(
      /^The person is suppressed \(erasure, agency\): a workspace of the agency shares its exclusions/,
    );

    await a.owner.call('svc_update_workspace', { workspaceId: a.workspaceId, shareSuppressionWithAgency: false });
    expect(await enrolled(b), 'shared no more').to.deep.equal([]);
  });
});
