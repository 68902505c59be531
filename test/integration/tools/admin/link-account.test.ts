import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const network = { accountKind: 'network' };

describe('svc_admin_link_account, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let admin: ToolUser;

  before(async () => {
    tools = await startMcpTools();
    const userId = await tools.mcp.user({ admin: true });
    admin = tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext));
  });
  after(() => tools.stop());

  const register = async (more: object): Promise<string> => {
    const input = { ...network, action: 'register', workspaceId: 'acme', ...more };
    return (await admin.call<{ accountId: string }>('svc_admin_link_account', input)).accountId;
  };

  it('registering again changes what is given: another name leaves tier and timezone as they were', async () => {
    const first = await register({ externalId: 'sam', displayName: 'Sam', tier: 'sales', timezone: 'Europe/Berlin' });
    expect(await register({ externalId: 'sam', displayName: 'Sam Sender' })).to.equal(first);
    const shown = 'select display_name, tier, timezone from network_account where id = $1';
    expect(await tools.rows(shown, [first])).to.deep.equal([
      { display_name: 'Sam Sender', tier: 'sales', timezone: 'Europe/Berlin' },
    ]);
    await register({ externalId: 'sam', tier: 'premium' });
    expect(await tools.rows(shown, [first])).to.deep.include.members([
      { display_name: 'Sam Sender', tier: 'premium', timezone: 'Europe/Berlin' },
    ]);
    const plain = await register({ externalId: 'plain' });
    expect(await tools.rows(shown, [plain])).to.deep.equal([{ display_name: '', tier: 'basic', timezone: 'UTC' }]);
  });

  it('unlinking ends all runs of the account there, however many, and each says so; others go on', async () => {
    const accountId = await register({ externalId: 'kim' });
    const made = await tools.as({ workspace: 'acme' });
    const { campaignId } = await made.call<{ campaignId: string }>('svc_create_campaign', { title: 'Many' });
    const graph = { nodes: [{ nodeType: 'network:message', label: 'Hi', config: { text: 'Hi' } }], edges: [] };
    const { workflowId } = await made.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: 'W',
      graph,
    });
    await tools.force(
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at, account_id)
       select gen_random_uuid(), 'acme', $1, $2, gen_random_uuid(), gen_random_uuid(), 1, 'n', 'waiting', 1, 1, case when n <= 2300 then $3 else 'other' end
       from generate_series(1, 2310) n`,
      [workflowId, campaignId, accountId],
    );
    const unlink = { ...network, action: 'unlink', accountId, workspaceId: 'acme' };
    expect(await admin.call('svc_admin_link_account', unlink)).to.include({ stoppedRuns: 2_300 });
    const [left] = await tools.force(
      `select count(*) filter (where ended_at is null)::int as live,
         count(*) filter (where end_reason = 'account unlinked' and exists (select 1 from run_event e where e.run_id = r.id and e.kind = 'run.completed' and e.text = r.end_reason))::int as told
       from run r where workflow_id = $1`,
      [workflowId],
    );
    expect(left).to.deep.equal({ live: 10, told: 2_300 });
    expect(await admin.call('svc_admin_link_account', unlink)).to.include({ stoppedRuns: 0 });
  });

  it('svc_admin_update_workspace refuses a daily limit of an action that there is none of, which would bind nobody', async () => {
    const change = { workspaceId: 'acme', reason: 'contract' };
    const refused = await admin.refusal('svc_admin_update_workspace', {
      ...change,
      limits: { dailyActions: { messages: 5 } },
    });
    expect(refused).to.match(
      /^Invalid input: limits\.dailyActions\.messages: is no action; those are connection_request, /,
    );
    const limits = { dailyActions: { message: 5, profile_view: 0 } };
    await admin.call('svc_admin_update_workspace', { ...change, limits });
    expect((await tools.cluster.object('workspaces/outrider/acme'))?.spec)
      .to.have.property('limits')
      .that.deep.includes(limits);
  });

  it('an account of another owner is linked once its owner names the workspace, and a name is no door to what stands there', async () => {
    const accountId = await register({ externalId: 'lee' });
    const link = { ...network, action: 'link', accountId, workspaceId: 'rival' };
    expect(await admin.refusal('svc_admin_link_account', link)).to.equal(
      `Account "${accountId}" belongs to another workspace, which has not let "rival" in. Its owner or an admin names it in sharedWith of svc_update_network_account_settings; then call this again.`,
    );
    const owner = await tools.as({ workspace: 'acme' });
    const share = { networkAccountId: accountId, sharedWith: ['rival'] };
    expect(await owner.call('svc_update_network_account_settings', share)).to.have.nested.property(
      'applied.sharedWith.0',
      'rival',
    );
    expect(await admin.call('svc_admin_link_account', link)).to.deep.include({ workspaceIds: ['acme', 'rival'] });
    const sharer = await tools.as({ workspace: 'rival' });
    expect(
      await sharer.refusal('svc_update_network_account_settings', { networkAccountId: accountId, sharedWith: ['x'] }),
    ).to.match(/who else may have this account are set by the workspace that linked it first/);
    // What is linked stays linked when consent is taken back, and linking it again changes nothing.
    await owner.call('svc_update_network_account_settings', { networkAccountId: accountId, sharedWith: [] });
    expect(await admin.call('svc_admin_link_account', link)).to.deep.include({ workspaceIds: ['acme', 'rival'] });
    await admin.call('svc_admin_link_account', { ...link, action: 'unlink' });
    expect(await admin.refusal('svc_admin_link_account', link)).to.match(/has not let "rival" in/);
  });

  it('consent of a workspace that does not own the account any more lets nobody in; one agency needs none', async () => {
    const accountId = await register({ externalId: 'ari' });
    const owner = await tools.as({ workspace: 'acme' });
    await owner.call('svc_update_network_account_settings', { networkAccountId: accountId, sharedWith: ['rival'] });
    await tools.workspace('third');
    await tools.force(`update workspace set agency_id = 'agency-of-both' where id in ('acme', 'third')`);
    const link = { ...network, action: 'link', accountId, workspaceId: 'third' };
    expect(await admin.call('svc_admin_link_account', link)).to.deep.include({ workspaceIds: ['acme', 'third'] });
    await admin.call('svc_admin_link_account', { ...link, action: 'unlink', workspaceId: 'acme' });
    expect(await admin.refusal('svc_admin_link_account', { ...link, workspaceId: 'rival' })).to.match(/let "rival" in/);
  });

  it('D5: unlinking hands the conversations to nobody: who is linked goes on reading them, who is not reads none, and they stay', async () => {
    const accountId = await tools.account('acme', 'rival');
    const [row] = await tools.force<{ id: string }>(
      `insert into conversation (id, account_id, external_id, preview, last_message_at)
       values (gen_random_uuid(), $1, 'of-unlinked', 'Kept apart', 1) returning id`,
      [accountId],
    );
    const conversationId = row?.id ?? '';
    const clients = { acme: await tools.as({ workspace: 'acme' }), rival: await tools.as({ workspace: 'rival' }) };
    const readers = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const [name, client] of Object.entries(clients)) {
        const { conversations } = await client.call<{ conversations: { conversationId: string }[] }>(
          'svc_list_conversations',
          {},
        );
        const listed = conversations.some((one) => one.conversationId === conversationId);
        const read = await client.call('svc_list_messages', { conversationId }).then(
          () => true,
          () => false,
        );
        expect(read, name).to.equal(listed);
        if (listed) found.push(name);
      }
      return found;
    };
    expect(await readers()).to.deep.equal(['acme', 'rival']);
    for (const [workspaceId, left] of [
      ['acme', ['rival']],
      ['rival', []],
    ] as const) {
      await admin.call('svc_admin_link_account', { ...network, action: 'unlink', accountId, workspaceId });
      expect(await readers(), `without ${workspaceId}`).to.deep.equal(left);
    }
    expect(await tools.force('select preview from conversation where id = $1', [conversationId])).to.deep.equal([
      { preview: 'Kept apart' },
    ]);
  });
});
