import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';

// A user key works wherever its user is a member; what it may there is what the role there leaves of it.
describe('tools: roles of members, by an MCP client', () => {
  let tools: McpTools;
  let key: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    key = await tools.as({ workspace: 'acme' });
  });
  after(() => tools.stop());

  const acme = { workspaceId: 'acme' };
  const role = (userId: string, workspaceId: string, is: string): Promise<unknown> =>
    tools.rows(
      `insert into member as m (id, workspace_id, user_id, role, joined_at) values (gen_random_uuid(), $2, $1, $3, 1)
       on conflict (workspace_id, user_id) do update set role = excluded.role`,
      [userId, workspaceId, is],
    );
  /** Somebody with a key that may everything, and their roles. */
  const member = async (roles: Record<string, string>): Promise<{ user: ToolUser; userId: string }> => {
    const userId = await tools.mcp.user();
    for (const [workspaceId, is] of Object.entries(roles)) await role(userId, workspaceId, is);
    return { userId, user: tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext)) };
  };
  const title = async (campaignId: string): Promise<string> =>
    (await key.call<{ campaign: { title: string } }>('svc_get_campaign', { campaignId })).campaign.title;
  const ownerOfAcme = async (): Promise<ToolUser> => {
    const [boss] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@acme.example'`);
    return tools.user(await tools.mcp.client((await tools.mcp.key({ userId: boss?.id ?? '' })).plaintext));
  };
  const TEXT = /^Your role in workspace "acme" is reviewer.*Call svc_list_members/;

  it('who becomes a reviewer reads and decides drafts from the next call on', async () => {
    const { user, userId } = await member({ acme: 'member' });
    const { campaignId } = await user.call<{ campaignId: string }>('svc_create_campaign', { ...acme, title: 'Mine' });
    await role(userId, 'acme', 'reviewer');
    for (const [name, input] of [
      ['svc_create_campaign', { ...acme, title: 'More' }],
      ['svc_create_api_key', { ...acme, name: 'x', keyType: 'user', scopes: ['leads:write'] }],
      ['svc_update_campaign', { campaignId, title: 'Other' }],
    ] as const)
      expect(await user.refusal(name, input), name).to.match(TEXT);
    expect(await title(campaignId)).to.equal('Mine');
    await user.call('svc_get_campaign', { campaignId });
    const decision = { reviewItemIds: [NOBODY], decision: 'reject' };
    expect(await user.call('svc_bulk_decide_review_items', decision)).to.include({ decided: 0 });
  });

  it('a reviewer decides drafts of a workflow, and neither starts, stops, changes nor deletes one', async () => {
    const { user } = await member({ acme: 'reviewer' });
    const { campaignId } = await key.call<{ campaignId: string }>('svc_create_campaign', { title: 'Running' });
    const graph = {
      nodes: [{ nodeType: 'network:message', label: 'Hello', config: { text: 'Hello' } }],
      edges: [],
    };
    const { workflowId } = await key.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: 'Theirs',
      graph,
    });
    const { workflow } = await user.call<{ workflow: { graph: { nodes: { nodeId: string }[] } } }>('svc_get_workflow', {
      workflowId,
    });
    const nodeId = workflow.graph.nodes.at(-1)?.nodeId ?? '';
    for (const [name, input] of [
      ['svc_update_workflow_status', { workflowId, enabled: true }],
      ['svc_update_workflow', { workflowId, name: 'Mine' }],
      ['svc_update_workflow_node', { workflowId, nodeId, config: { text: 'Buy now' } }],
      ['svc_trigger_workflow', { workflowId, leadIds: [NOBODY] }],
      ['svc_control_workflow_runs', { runIds: [NOBODY], action: 'stop' }],
      ['svc_duplicate_workflow', { workflowId, name: 'Copy' }],
      ['svc_create_workflow', { campaignId, name: 'Mine', graph }],
      ['svc_delete_workflow', { workflowId }],
    ] as const)
      expect(await user.refusal(name, input), name).to.match(TEXT);
    expect(await user.refusal('svc_approve_review_item', { reviewItemId: NOBODY })).to.contain('was not found');
  });

  it('the same key is worth more where its user is more', async () => {
    const { user } = await member({ acme: 'reviewer', rival: 'member' });
    const { campaignId } = await key.call<{ campaignId: string }>('svc_create_campaign', { title: 'Theirs' });
    const own = await user.call<{ campaignId: string }>('svc_create_campaign', {
      workspaceId: 'rival',
      title: 'There',
    });
    await user.call('svc_update_campaign', { campaignId: own.campaignId, title: 'There too' });
    expect(await user.refusal('svc_create_campaign', { ...acme, title: 'x' })).to.match(TEXT);
    expect(await user.refusal('svc_update_campaign', { campaignId, title: 'Other' })).to.match(
      /was not found\. Call svc_list_campaigns.*Your role in workspace "acme" is reviewer/,
    );
    expect(await title(campaignId)).to.equal('Theirs');
  });

  it('a reviewer may leave, and may revoke a key like every member', async () => {
    const { user, userId } = await member({ acme: 'reviewer' });
    await tools.mcp.key({ workspaceId: 'acme' });
    const [made] = await tools.rows<{ id: string }>(
      `select id from api_key where workspace_id = 'acme' order by created_at desc, id desc limit 1`,
    );
    const apiKeyId = made?.id;
    expect(await user.call('svc_revoke_api_key', { apiKeyId })).to.include({ apiKeyId });
    const [row] = await tools.rows<{ id: string }>('select id from member where user_id = $1', [userId]);
    expect(await user.call('svc_remove_member', { ...acme, memberId: row?.id })).to.include({ removed: true });
  });

  it('a key that opens some workspaces of its user knows and revokes none that opens more', async () => {
    const { userId } = await member({ acme: 'member', rival: 'member' });
    const make = async (only: string[] | null): Promise<{ id: string; user: ToolUser }> => {
      const { apiKeyId, plaintext } = await tools.mcp.key({ userId });
      await tools.rows('update api_key set only_workspaces = $2 where id = $1', [apiKeyId, only]);
      return { id: apiKeyId, user: tools.user(await tools.mcp.client(plaintext)) };
    };
    const [wide, invited, same] = [await make(null), await make(['acme']), await make(['acme'])];
    const seen = async ({ user }: { user: ToolUser }): Promise<string[]> => {
      const { apiKeys } = await user.call<{ apiKeys: { apiKeyId: string }[] }>('svc_list_api_keys', {
        ...acme,
        keyType: 'user',
      });
      return apiKeys.map((one) => one.apiKeyId).sort();
    };
    expect(await seen(invited)).to.deep.equal([invited.id, same.id].sort());
    expect(await seen(wide)).to.include.members([wide.id, invited.id, same.id]);
    expect(await invited.user.refusal('svc_revoke_api_key', { apiKeyId: wide.id })).to.contain('was not found');
    await wide.user.call('svc_list_campaigns', acme);
    await invited.user.call('svc_revoke_api_key', { apiKeyId: same.id });
    await wide.user.call('svc_revoke_api_key', { apiKeyId: invited.id });
  });

  describe('accepting an invitation', () => {
    const invite = async (email: string, role = 'member'): Promise<string> =>
      (await key.call<{ inviteUrl: string }>('svc_create_invitation', { email, role })).inviteUrl;
    const accept = (url: string, name: string): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
        signal: AbortSignal.timeout(10_000),
      });

    it('as a reviewer gives a key that marks notices read, leaves, and does more once its user is more', async () => {
      const { key: plaintext, memberId } = (await (
        await accept(await invite('rises@x.example', 'reviewer'), 'R')
      ).json()) as {
        key: string;
        memberId: string;
      };
      const user = tools.user(await tools.mcp.client(plaintext));
      await user.call('svc_mark_all_notifications_read', acme);
      expect(await user.refusal('svc_create_campaign', { ...acme, title: 'Early' })).to.match(TEXT);
      const owner = await ownerOfAcme();
      await owner.call('svc_update_member_role', { ...acme, memberId, role: 'member' });
      await user.call('svc_create_campaign', { ...acme, title: 'Mine now' });
      await owner.call('svc_update_member_role', { ...acme, memberId, role: 'reviewer' });
      expect(await user.refusal('svc_create_campaign', { ...acme, title: 'Late' })).to.match(TEXT);
      expect(await user.call('svc_remove_member', { ...acme, memberId })).to.include({ removed: true });
    });

    describe('of somebody who may invite no more', () => {
      const inviteAs = async (user: ToolUser, email: string): Promise<string> =>
        (await user.call<{ inviteUrl: string }>('svc_create_invitation', { ...acme, email, role: 'admin' })).inviteUrl;
      const open = async (): Promise<string[]> =>
        (await key.call<{ invitations: { email: string }[] }>('svc_list_invitations', { limit: 100 })).invitations.map(
          (one) => one.email,
        );
      const admin = async (): Promise<{ user: ToolUser; memberId: string; email: string }> => {
        const { user, userId } = await member({ acme: 'admin' });
        const [row] = await tools.rows<{ id: string; email: string }>(
          'select m.id, u.email from member m join app_user u on u.id = m.user_id where u.id = $1',
          [userId],
        );
        return { user, memberId: row?.id ?? '', email: row?.email ?? '' };
      };

      it('does not work: who was removed lets nobody in, and comes back by none to their own address', async () => {
        const { user, memberId, email } = await admin();
        const back = await inviteAs(user, 'friend@x.example');
        const others = await invite('stays@x.example');
        await tools.rows(
          `insert into invitation (id, workspace_id, email, role, token_hash, invited_by, created_at, expires_at)
           values (gen_random_uuid(), 'acme', upper($1), 'admin', 'x', 'owner@acme.example', 1, $2)`,
          [email, tools.now() + 1_000_000],
        );
        await (await ownerOfAcme()).call('svc_remove_member', { ...acme, memberId });
        expect((await accept(back, 'Friend')).status).to.equal(410);
        expect(await open())
          .to.include('stays@x.example')
          .and.not.include.members(['friend@x.example']);
        expect(await open()).to.not.include(email.toUpperCase());
        expect((await accept(others, 'Stays')).status).to.equal(200);
      });

      it('does not work: who is no admin any more', async () => {
        const { user, memberId } = await admin();
        const url = await inviteAs(user, 'crony@x.example');
        await (await ownerOfAcme()).call('svc_update_member_role', { ...acme, memberId, role: 'member' });
        expect((await accept(url, 'Crony')).status).to.equal(410);
        expect(await open()).to.not.include('crony@x.example');
      });

      it('does not work: a workspace key that was revoked', async () => {
        const { apiKeyId, plaintext } = await tools.mcp.key({ workspaceId: 'acme' });
        const url = await inviteAs(tools.user(await tools.mcp.client(plaintext)), 'leaked@x.example');
        await key.call('svc_revoke_api_key', { apiKeyId });
        expect((await accept(url, 'Leaked')).status).to.equal(410);
        expect(await open()).to.not.include('leaked@x.example');
      });

      it('is not made at the moment of the removal', async () => {
        const { user, memberId } = await admin();
        const { made } = await tools.cluster.db.tx({ kind: 'platform' }, async (tx) => {
          await tx.exec('delete from member where id = $1', [memberId]);
          const made = user.refusal('svc_create_invitation', { ...acme, email: 'late@x.example', role: 'admin' });
          while ((await tools.rows('select 1 from pg_locks where not granted')).length === 0);
          return { made };
        });
        expect(await made).to.match(/^Only the owner or an admin of the workspace can invite somebody/);
      });
    });

    /** The link as it comes by mail: an address of a user is accepted for by no other. */
    const mailed = async (email: string): Promise<string> => {
      const url = await invite(email);
      await tools.rows('update invitation set mailed = true where email = $1', [email]);
      return url;
    };

    it('gives a key for this workspace to a user who has none: the owner of another one, or who revoked their last', async () => {
      await tools.workspace('fresh');
      const answer = await accept(await mailed('Owner@fresh.example'), 'Fresh');
      const { key: plaintext } = (await answer.json()) as { key: string };
      const user = tools.user(await tools.mcp.client(plaintext));
      await user.call('svc_create_campaign', { ...acme, title: 'By the owner of fresh' });
      expect(await user.refusal('svc_list_campaigns', { workspaceId: 'fresh' })).to.match(/^You are not a member/);
      const own = await user.call<{ apiKeys: { apiKeyId: string }[] }>('svc_list_api_keys', {
        ...acme,
        keyType: 'user',
      });
      await user.call('svc_revoke_api_key', { apiKeyId: own.apiKeys[0]?.apiKeyId });
      const [row] = await tools.rows<{ id: string }>(
        `select m.id from member m join app_user u on u.id = m.user_id where m.workspace_id = 'acme' and u.email = 'owner@fresh.example'`,
      );
      await (await ownerOfAcme()).call('svc_remove_member', { ...acme, memberId: row?.id });
      const back = await accept(await mailed('owner@fresh.example'), 'Fresh');
      expect(((await back.json()) as { key: string }).key).to.match(/^csu_/);
    });

    it('under a name that no database takes is refused, and works under another', async () => {
      const url = await invite('odd@x.example');
      for (const name of ['O\u0000dd', 'O\ud800dd']) expect((await accept(url, name)).status).to.equal(400);
      expect((await accept(url, 'Odd')).status).to.equal(200);
    });

    it('at the moment at which the address becomes a user elsewhere asks for the key that it got there', async () => {
      const url = await mailed('twice@x.example');
      const { accepting } = await tools.cluster.db.tx({ kind: 'platform' }, async (tx) => {
        await tx.exec(`insert into app_user (id, email, created_at) values (gen_random_uuid(), 'Twice@x.example', 1)`);
        const accepting = accept(url, 'Twice');
        while ((await tools.rows('select 1 from pg_locks where not granted')).length === 0);
        return { accepting };
      });
      const answer = await accepting;
      expect(answer.status).to.equal(401);
      expect(await answer.json())
        .to.have.property('error')
        .that.contains('has a user already');
    });
  });
});
