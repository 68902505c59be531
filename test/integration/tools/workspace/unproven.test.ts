import { expect } from 'chai';
import { ConsoleClient } from '../../../fixtures/console/console-client.ts';
import { BareClient } from '../../../fixtures/sign-in/person.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Invited {
  inviteUrl: string;
  delivery: string;
  note: string;
}
interface Accepted {
  key?: string;
  memberId: string;
  proven: boolean;
  limit?: string;
}

describe('tools: invitations whose link proves nothing, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  before(async () => {
    tools = await startMcpTools();
  });
  after(() => tools.stop());

  const acme = { workspaceId: 'acme' };
  const invite = (by: ToolUser, email: string, role = 'member', workspaceId = 'acme'): Promise<Invited> =>
    by.call('svc_create_invitation', { workspaceId, email, role });
  const accept = async (url: string, userKey?: string): Promise<{ status: number; body: Accepted }> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(userKey ? { authorization: `Bearer ${userKey}` } : {}) },
      body: JSON.stringify({ name: 'Somebody' }),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, body: (await response.json()) as Accepted };
  };
  const user = async (key: string | undefined): Promise<ToolUser> => tools.user(await tools.mcp.client(key ?? ''));

  it('a key with workspace:write alone makes nobody who has more, and its revocation names whom it made', async () => {
    const { apiKeyId, plaintext } = await tools.mcp.key({ workspaceId: 'acme', scopes: ['workspace:write'] });
    const leaked = await user(plaintext);
    const { inviteUrl, delivery, note } = await invite(leaked, 'me@evil.example', 'admin');
    expect([delivery, note]).to.deep.equal([
      'link',
      'No mail is set up, so nothing proves the address: hand the link over yourself. Who accepts by it is an unproven member, with the scopes of this key at most.',
    ]);
    const { body } = await accept(inviteUrl);
    expect(body).to.include({ proven: false });
    expect(body.limit).to.contain('what your inviter had at most');
    const me = await user(body.key);
    const { scopes } = await me.call<{ scopes: string[] }>('svc_whoami');
    expect(scopes).to.deep.equal(['workspace:write']);
    for (const name of ['svc_list_campaigns', 'svc_list_members', 'svc_create_campaign'])
      expect(await me.refusal(name, { ...acme, ...(name === 'svc_create_campaign' ? { title: 'T' } : {}) })).to.match(
        /^Scope \w+:(read|write) is required/,
      );
    expect(
      await me.refusal('svc_create_api_key', { ...acme, name: 'x', keyType: 'user', scopes: ['leads:read'] }),
    ).to.match(/this key does not hold it/);
    // Whom that member invites has no more either.
    const second = await user((await accept((await invite(me, 'you@evil.example')).inviteUrl)).body.key);
    expect((await second.call<{ scopes: string[] }>('svc_whoami')).scopes).to.deep.equal(['workspace:write']);

    const open = await invite(leaked, 'open@evil.example');
    const key = await tools.as({ workspace: 'acme' });
    const { membersMade } = await key.call<{ membersMade: object[] }>('svc_revoke_api_key', { apiKeyId });
    expect(membersMade).to.deep.equal([
      { memberId: body.memberId, workspaceId: 'acme', email: 'me@evil.example', role: 'admin', proven: false },
    ]);
    expect((await accept(open.inviteUrl)).status, 'what was open is withdrawn').to.equal(410);
  });

  it('who uses the console alone joins by its session or a key, and never becomes a second user of the address', async () => {
    const id = await tools.mcp.user({ member: 'rival' });
    const email = `${id}@test.example`;
    const { cookie = '' } = await ConsoleClient.signedIn(tools.mcp, id);
    // A chat client that was let in is no key that could be sent.
    await tools.mcp.key({ userId: id });
    const clientId = (await BareClient.registered(tools.mcp.url)).clientId;
    await tools.rows('update api_key set client_id = $2 where user_id = $1', [id, clientId]);
    const by = await tools.as({ workspace: 'acme' });
    const { inviteUrl } = await invite(by, email);
    const users = () => tools.rows('select 1 from app_user where lower(email) = lower($1)', [email]);
    const told = await accept(inviteUrl);
    expect([told.status, (told.body as { error?: string }).error]).to.deep.include(401);
    expect((told.body as { error?: string }).error).to.contain('svc_create_api_key');
    expect(await users()).to.have.length(1);
    const send = async (origin: string): Promise<{ status: number; body: Accepted }> => {
      const headers = { cookie, origin, 'content-type': 'application/json' };
      const response = await fetch(inviteUrl, {
        method: 'POST',
        headers,
        body: '{}',
        signal: AbortSignal.timeout(10_000),
      });
      return { status: response.status, body: (await response.json()) as Accepted };
    };
    expect((await send('https://evil.example')).status, 'not by the form of another site').to.equal(401);
    const { status, body } = await send(new URL(inviteUrl).origin);
    expect(status).to.equal(200);
    expect(body).to.not.have.property('key');
    expect(await tools.rows(`select 1 from member where user_id = $1 and workspace_id = 'acme'`, [id])).to.have.length(
      1,
    );
    expect(await users()).to.have.length(1);
  });

  it('an own key of another workspace carries no more either, in calls of every kind', async () => {
    const [row] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@rival.example'`);
    const rival = await tools.mcp.key({ userId: row?.id ?? '' });
    const narrow = await tools.as({ workspace: 'acme', scopes: ['workspace:read', 'workspace:write', 'leads:read'] });
    const { inviteUrl } = await invite(narrow, 'owner@rival.example', 'admin');
    expect((await accept(inviteUrl, rival.plaintext)).status).to.equal(200);
    const me = await user(rival.plaintext);
    await me.call('svc_list_campaigns', { workspaceId: 'rival' });
    await me.call('svc_search_leads', acme);
    expect(await me.refusal('svc_list_campaigns', acme)).to.equal(
      'Scope campaigns:read is required to call svc_list_campaigns, and in workspace "acme" you have what your inviter had: workspace:read, workspace:write, leads:read. Call svc_list_members to see who can invite you by mail, which proves your address.',
    );
    const { campaignId } = await (await tools.as({ workspace: 'acme' })).call<{ campaignId: string }>(
      'svc_create_campaign',
      { title: 'Secret' },
    );
    expect(await me.refusal('svc_get_campaign', { campaignId })).to.match(/^Campaign ".*" was not found\./);
    const found = await me.call<{ omittedTypes: string[] }>('svc_search', { ...acme, query: 'Secret' });
    expect(found.omittedTypes).to.include('campaign').and.not.include('lead');
    const completed = await me.client
      .complete({
        ref: { type: 'ref/resource', uri: 'outrider://campaigns/{campaignId}' },
        argument: { name: 'campaignId', value: campaignId.slice(0, 6) },
      })
      .catch(() => ({ completion: { values: [] as string[] } }));
    expect(completed.completion.values).to.not.include(campaignId);
    const made = await me.call<{ key: string }>('svc_create_api_key', {
      workspaceId: 'rival',
      name: 'wide',
      keyType: 'user',
      scopes: ['campaigns:read'],
    });
    expect(await (await user(made.key)).refusal('svc_list_campaigns', acme)).to.match(/^Scope campaigns:read is req/);
  });

  it('nobody squats an address: who says to have it keeps it from nobody, owns nothing and proves nothing', async () => {
    const [owner] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@rival.example'`);
    const rival = await user((await tools.mcp.key({ userId: owner?.id ?? '' })).plaintext);
    const squatted = await invite(rival, 'ceo@victim.example', 'admin', 'rival');
    const squatter = (await accept(squatted.inviteUrl)).body;
    expect(squatter.proven).to.equal(false);
    const refused = await rival.refusal('svc_update_member_role', {
      workspaceId: 'rival',
      memberId: squatter.memberId,
      role: 'owner',
    });
    expect(refused).to.match(/^Nothing proved that this member has the address ceo@victim\.example/);
    // The workspace that the platform makes for that address is another user's.
    await tools.workspace('victim');
    await tools.rows(`update app_user set email = 'ceo@victim.example' where email = 'owner@victim.example'`);
    expect(await (await user(squatter.key)).refusal('svc_list_campaigns', { workspaceId: 'victim' })).to.match(
      /^You are not a member/,
    );
    // Nor does their key accept what was mailed to the address.
    const key = await tools.as({ workspace: 'acme' });
    const mailed = await invite(key, 'ceo@victim.example');
    await tools.rows(
      `update invitation set mailed = true where workspace_id = 'acme' and email = 'ceo@victim.example'`,
    );
    const { status, body } = await accept(mailed.inviteUrl, squatter.key);
    expect([status, body.proven]).to.deep.equal([200, true]);
    const [member] = await tools.rows<{ own: boolean }>(
      `select m.user_id = w.owner_user_id as own from member m, workspace w where m.id = $1 and w.id = 'victim'`,
      [body.memberId],
    );
    expect(member?.own, 'the one who was known before, and not the squatter').to.equal(true);
    expect(await (await user(squatter.key)).refusal('svc_list_campaigns', acme)).to.match(/^You are not a member/);
  });

  it('an address that said so and proves it by the mailed link has all that its keys carry', async () => {
    const narrow = await tools.as({ workspace: 'acme', scopes: ['workspace:write', 'workspace:read'] });
    const { body: said } = await accept((await invite(narrow, 'late@x.example')).inviteUrl);
    const late = await user(said.key);
    const list = async (): Promise<
      { memberId: string; email: string; proven: boolean; scopeLimit: string[] | null }[]
    > => (await late.call<{ members: never[] }>('svc_list_members', { ...acme, limit: 100 })).members;
    const entry = async (): Promise<object | undefined> =>
      (await list()).find(({ email }) => email === 'late@x.example');
    expect(await entry()).to.deep.include({ proven: false, scopeLimit: ['workspace:read', 'workspace:write'] });
    const page = new URL((await invite(narrow, 'other@x.example')).inviteUrl).origin;
    await tools.rows(
      `update invitation set accepted_at = null, mailed = true, token_hash = sha256('a-token-that-was-mailed'::bytea)
       where email = 'late@x.example'`,
    );
    expect((await accept(`${page}/invitations/a-token-that-was-mailed`, said.key)).body).to.include({ proven: true });
    expect(await entry()).to.deep.include({ memberId: said.memberId, proven: true, scopeLimit: null });
  });
});
