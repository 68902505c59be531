import { expect } from 'chai';
import { z } from 'zod';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { tool } from '../../../pkg/tools/tool.ts';
import { ConsoleClient } from '../../fixtures/console/console-client.ts';
import { addMember, type Harness, startMcp } from '../../fixtures/mcp/harness.ts';

const ME = '/console/api/me';
const CALL = '/console/api/call';

const failing = tool({
  name: 'svc_fail',
  domain: 'Leads',
  title: 'Fail',
  description: 'Fails.',
  example: { input: {} },
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'none',
  input: z.strictObject({}),
  output: z.object({}),
  run: () => Promise.reject(new Error('secret of the server')),
});

describe('calls of the console', () => {
  let mcp: Harness;

  before(async () => {
    mcp = await startMcp({ tools: [...ALL_TOOLS, failing] });
    for (const workspace of ['acme', 'other']) await mcp.workspace(workspace);
  });
  after(() => mcp?.stop());

  const memberOf = async (workspace: string, role: 'owner' | 'admin' | 'member' | 'reviewer' = 'member') => {
    const userId = await mcp.user({ member: workspace, role });
    return { userId, client: await ConsoleClient.signedIn(mcp, userId) };
  };

  it('are those of the member: whoami says so, and the audit log that a session called', async () => {
    const { userId, client } = await memberOf('acme');
    const { status, json } = await client.call('svc_whoami');
    expect(status).to.equal(200);
    expect(json.result).to.deep.include({ keyType: 'user', keyPrefix: 'console' });
    await client.call('svc_create_lead_list', { workspaceId: 'acme', name: 'from the console' });
    const rows = await audited(userId, 2);
    expect(rows.map(({ tool, kind, prefix }) => [tool, kind, prefix])).to.deep.equal([
      ['svc_whoami', 'console', 'console'],
      ['svc_create_lead_list', 'console', 'console'],
    ]);
  });

  const audited = async (actor: string, least: number): Promise<{ tool: string; kind: string; prefix: string }[]> => {
    for (;;) {
      const rows = await mcp.platform((tx) =>
        tx.rows<{ tool: string; kind: string; prefix: string }>(
          `select tool, actor_kind as kind, key_prefix as prefix from audit_event where actor_id = $1 order by seq`,
          [actor],
        ),
      );
      if (rows.length >= least) return rows;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('are not made for who signed in since: the page names the member whom it shows', async () => {
    const [anna, bob] = [await memberOf('acme'), await memberOf('acme')];
    const asked = (userId: string) =>
      bob.client.call(
        'svc_create_lead_list',
        { workspaceId: 'acme', name: `asked for ${userId}` },
        { headers: { 'x-outrider-user': userId } },
      );
    const refused = await asked(anna.userId);
    expect([refused.status, refused.json.kind]).to.deep.equal([409, 'somebody-else']);
    expect((await asked(bob.userId)).status).to.equal(200);
    const names = await mcp.platform((tx) =>
      tx.rows<{ name: string }>(`select name from lead_list where name like 'asked for %'`),
    );
    expect(names).to.deep.equal([{ name: `asked for ${bob.userId}` }]);
  });

  it('show nothing of another workspace', async () => {
    const { client } = await memberOf('acme');
    const owner = await memberOf('other', 'owner');
    const made = await owner.client.call('svc_create_lead_list', { workspaceId: 'other', name: 'theirs' });
    const { leadListId } = made.json.result as { leadListId: string };
    const named = await client.call('svc_list_lead_lists', { workspaceId: 'other' });
    expect([named.status, named.json.kind]).to.deep.equal([403, 'denied']);
    const record = await client.call('svc_get_lead_list', { leadListId });
    expect([record.status, record.json.kind]).to.deep.equal([422, 'refused']);
    expect(record.json.error).to.include('not found');
  });

  it('leave a reviewer what a key of theirs would: reading and deciding drafts', async () => {
    const { userId, client } = await memberOf('acme', 'reviewer');
    const { plaintext } = await mcp.key({ userId });
    const input = { workspaceId: 'acme', name: 'no' };
    const session = { 'mcp-session-id': await mcp.initialize(plaintext) };
    const params = { name: 'svc_create_lead_list', arguments: input };
    const byKey = await mcp.post(plaintext, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session);
    const { status, json } = await client.call('svc_create_lead_list', input);
    expect([status, json.kind]).to.deep.equal([403, 'denied']);
    expect(byKey.text).to.include(JSON.stringify(json.error).slice(1, -1));
    expect((await client.call('svc_list_lead_lists', { workspaceId: 'acme' })).status).to.equal(200);
    const [workspace] = (await client.ask(ME)).json['workspaces'] as { scopes: string[] }[];
    expect(workspace?.scopes.every((scope) => scope.endsWith(':read'))).to.equal(true);
  });

  it('reach no tool of the platform for who is no admin of it', async () => {
    const { client } = await memberOf('acme', 'owner');
    const { status, json } = await client.call('svc_admin_list_workspaces', {});
    expect([status, json.kind]).to.deep.equal([403, 'denied']);
  });

  it('are refused from the next one on once a membership or a role is gone', async () => {
    const { userId, client } = await memberOf('acme', 'admin');
    await mcp.platform((tx) => addMember(tx, 'other', userId, 'member'));
    const list = (workspaceId: string) => client.call('svc_list_lead_lists', { workspaceId });
    expect((await list('other')).status).to.equal(200);
    await mcp.platform((tx) => tx.exec(`delete from member where user_id = $1 and workspace_id = 'other'`, [userId]));
    expect((await list('other')).status).to.equal(403);
    expect((await list('acme')).status).to.equal(200);
    await mcp.platform((tx) => tx.exec(`update member set role = 'reviewer' where user_id = $1`, [userId]));
    expect((await client.call('svc_create_lead_list', { workspaceId: 'acme', name: 'n' })).status).to.equal(403);
    await mcp.platform((tx) => tx.exec(`delete from member where user_id = $1`, [userId]));
    expect((await list('acme')).status).to.equal(401);
  });

  it('of two tabs are of one session, which ends for both', async () => {
    const { client } = await memberOf('acme');
    const tab = new ConsoleClient(mcp.url);
    tab.cookie = client.cookie;
    const both = await Promise.all([client.call('svc_whoami'), tab.call('svc_whoami')]);
    expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
    await client.ask('/console/api/sign-out', { body: {} });
    expect((await tab.call('svc_whoami')).status).to.equal(401);
  });

  it('need the header and an Origin that is ours', async () => {
    const { client } = await memberOf('acme');
    const { host } = new URL(client.origin);
    const sent = (headers: Record<string, string | null>) => client.call('svc_whoami', {}, { headers });
    for (const headers of [
      { 'x-outrider-console': null },
      { 'x-outrider-console': 'true' },
      { origin: null },
      { origin: 'null' },
      { origin: '' },
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:1' },
      { origin: `http://${host}.evil.example` },
      { origin: `http://evil.example#http://${host}` },
      { origin: `ftp://${host}` },
      { origin: `${client.origin}/` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string | null>[]) {
      const { status } = await sent(headers);
      expect(status, JSON.stringify(headers)).to.equal(403);
    }
    expect((await sent({ 'sec-fetch-site': 'same-origin' })).status).to.equal(200);
  });

  it('are made by POST of JSON only', async () => {
    const { client } = await memberOf('acme');
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await client.ask(CALL, { method })).status, method).to.equal(404);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', null])
      expect((await client.call('svc_whoami', {}, { headers: { 'content-type': type } })).status).to.equal(415);
    for (const body of ['', '[]', '{', '7', '{"name":7}', '{"name":"svc_whoami","arguments":[]}', '{"nome":"x"}'])
      expect((await client.ask(CALL, { body, headers: { 'content-type': 'application/json' } })).status).to.equal(400);
  });

  it('let no page of another origin read an answer', async () => {
    const { client } = await memberOf('acme');
    for (const origin of ['http://localhost:1', client.origin]) {
      const { headers } = await client.ask(ME, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).to.equal(null);
    }
  });

  it('with a body that is too large, or of more values than are looked through, are refused', async () => {
    const { client } = await memberOf('acme');
    const large = await client.call('svc_whoami', { a: 'x'.repeat(9 * 1024 * 1024) });
    expect(large.status).to.equal(413);
    const many = await client.call('svc_whoami', { a: new Array(60_000).fill(0) });
    expect(many.status).to.equal(400);
    expect((await client.ask('/console/api/sign-in/claim', { body: { token: 'x'.repeat(5_000) } })).status).to.equal(
      413,
    );
  });

  it('say what is wrong: an unknown tool, wrong input, a fault of ours without its words', async () => {
    const { client } = await memberOf('acme');
    const unknown = await client.call('svc_nothing');
    expect([unknown.status, unknown.json.kind]).to.deep.equal([422, 'refused']);
    const wrong = await client.call('svc_create_lead_list', { workspaceId: 'acme' });
    expect([wrong.status, wrong.json.kind]).to.deep.equal([422, 'refused']);
    const fault = await client.call('svc_fail');
    expect([fault.status, fault.json.kind]).to.deep.equal([503, 'fault']);
    expect(fault.text).not.to.include('secret of the server');
  });

  it('take a key by which a call that is made again does nothing twice', async () => {
    const { client } = await memberOf('acme', 'owner');
    const csv = 'First name,Last name,Email\nAda,Once,ada.once@example.com\n';
    const body = { name: 'svc_import_leads_csv', arguments: { workspaceId: 'acme', csv }, key: 'made-by-a-page' };
    const [one, again] = [await client.ask(CALL, { body }), await client.ask(CALL, { body })];
    expect([one.status, again.status], one.text).to.deep.equal([200, 200]);
    expect(again.text).to.equal(one.text);
    const other = { ...body, arguments: { ...body.arguments, csv: csv.replace('Ada', 'Eva') } };
    expect((await client.ask(CALL, { body: other })).status).to.equal(422);
    expect((await client.ask(CALL, { body: { name: 'svc_whoami', key: 'k' } })).status).to.equal(200);
  });

  it('see one workspace alone where the page says so', async () => {
    const { userId, client } = await memberOf('acme', 'owner');
    await mcp.platform((tx) => addMember(tx, 'other', userId, 'owner'));
    const made = await client.call('svc_create_lead_list', { workspaceId: 'other', name: 'both' });
    const { leadListId } = made.json.result as { leadListId: string };
    const get = { name: 'svc_get_lead_list', arguments: { leadListId } };
    expect((await client.ask(CALL, { body: { ...get, workspaceId: 'acme' } })).status).to.equal(422);
    expect((await client.ask(CALL, { body: { ...get, workspaceId: 'other' } })).status).to.equal(200);
    const stranger = await memberOf('acme');
    expect((await stranger.client.ask(CALL, { body: { ...get, workspaceId: 'other' } })).status).to.equal(403);
  });
});

describe('limits of console sessions', () => {
  let mcp: Harness;

  before(async () => {
    mcp = await startMcp({ limits: { read: 3, write: 2, llm: 1, overall: 4 }, ownerTimes: 2 });
    await mcp.workspace('acme');
  });
  after(() => mcp?.stop());

  it('are those of a key, and a user has them together with the keys', async () => {
    const userId = await mcp.user({ member: 'acme' });
    const statuses: number[] = [];
    for (let session = 0; session < 3; session++) {
      const client = await ConsoleClient.signedIn(mcp, userId);
      for (let call = 0; call < 4; call++) {
        const { status, json, headers } = await client.call('svc_whoami');
        statuses.push(status);
        if (status !== 429) continue;
        expect(json.kind).to.equal('limited');
        expect(Number(headers.get('retry-after')))
          .to.equal(json['retryAfter'])
          .and.be.within(1, 60);
      }
    }
    const [a, b] = [200, 429];
    expect(statuses).to.deep.equal([a, a, a, b, a, a, a, b, b, b, b, b]);
  });
});
