import { expect } from 'chai';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';

const call = (name: string, input: object): object => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: input },
});

describe('tenancy of a call', () => {
  let mcp: Harness;
  let owner: string;
  let userKey: string;
  let workspaceKey: string;

  before(async () => {
    mcp = await startMcp();
    await mcp.workspace('acme');
    await mcp.workspace('other');
    owner = await mcp.user({ member: 'acme', role: 'owner' });
    userKey = (await mcp.key({ userId: owner })).plaintext;
    workspaceKey = (await mcp.key({ workspaceId: 'acme' })).plaintext;
  });
  after(() => mcp.stop());

  const text = async (key: string, name: string, input: object): Promise<string> => {
    const client = await mcp.client(key);
    const answer = (await client.callTool({ name, arguments: { ...input } })) as { content: { text: string }[] };
    return answer.content[0]?.text ?? '';
  };

  it('a workspace key needs no workspaceId and takes no other', async () => {
    expect(await text(workspaceKey, 'svc_get_workspace', {})).to.contain('Name of acme');
    expect(await text(workspaceKey, 'svc_get_workspace', { workspaceId: 'acme' })).to.contain('Name of acme');
    expect(await text(workspaceKey, 'svc_get_workspace', { workspaceId: 'other' })).to.equal(
      'This key is bound to another workspace. Omit workspaceId.',
    );
  });

  it('a user key names one of its workspaces', async () => {
    expect(await text(userKey, 'svc_get_workspace', {})).to.equal(
      'Invalid input: workspaceId is required with a user key. Call svc_whoami to list your workspaces.',
    );
    expect(await text(userKey, 'svc_get_workspace', { workspaceId: 'other' })).to.equal(
      'You are not a member of workspace "other". Pass a workspaceId from svc_whoami.',
    );
  });

  it('a user key opens every workspace of its user, however many they are', async () => {
    const userId = await mcp.user();
    await mcp.platform(async (tx) => {
      await tx.exec(
        `insert into workspace (id, uid, name, created_at, updated_at)
         select 'client-' || n, 'client-' || n, 'Client', 1, 1 from generate_series(1, 1001) n`,
      );
      await tx.exec(
        `insert into member (id, workspace_id, user_id, role, joined_at)
         select gen_random_uuid(), 'client-' || n, $1, 'owner', n from generate_series(1, 1001) n`,
        [userId],
      );
    });
    const { plaintext } = await mcp.key({ userId });
    const own = { 'mcp-session-id': await mcp.initialize(plaintext) };
    for (const workspaceId of ['client-1', 'client-1001']) {
      const { text } = await mcp.post(plaintext, call('svc_get_workspace', { workspaceId }), own);
      expect(text).to.contain('"name":"Client"');
    }
  });

  it('a missing scope is named; admin tools need a platform admin whatever the scopes say', async () => {
    const weak = (await mcp.key({ userId: owner, scopes: ['leads:read'] })).plaintext;
    expect(await text(weak, 'svc_get_workspace', { workspaceId: 'acme' })).to.equal(
      'Scope workspace:read is required to call svc_get_workspace. Call svc_whoami to see the scopes of this key.',
    );
    expect(await text(userKey, 'svc_admin_list_workspaces', {})).to.contain('Scope admin:read is required');
  });
});
