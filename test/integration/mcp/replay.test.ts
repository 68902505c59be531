import { expect } from 'chai';
import { addMember, type Harness, startMcp } from './harness.ts';

describe('idempotency and pages over MCP', () => {
  let mcp: Harness;
  let userKey: string;
  let owner: string;

  before(async () => {
    mcp = await startMcp();
    await mcp.workspace('acme');
    owner = await mcp.user({ admin: true });
    await mcp.platform((tx) => addMember(tx, 'acme', owner, 'owner'));
    userKey = (await mcp.key({ userId: owner })).plaintext;
  });
  after(() => mcp.stop());

  const call = async (key: string, name: string, input: Record<string, unknown>): Promise<string> => {
    const client = await mcp.client(key);
    const answer = (await client.callTool({ name, arguments: input })) as { content: { text: string }[] };
    return answer.content[0]?.text ?? '';
  };
  const balance = async (): Promise<number> =>
    (JSON.parse(await call(userKey, 'svc_get_credit_balance', { workspaceId: 'acme' })) as { balance: number }).balance;

  it('same key, same answer, same charge, also with another API key and at the same time', async () => {
    const input = { workspaceId: 'acme', amount: 500, reason: 'top up', idempotencyKey: 'once' };
    const second = (await mcp.key({ userId: owner })).plaintext;
    const answers = await Promise.all(
      [userKey, second, userKey, second].map((key) => call(key, 'svc_admin_adjust_credits', input)),
    );
    const entries = answers.map((text) => (JSON.parse(text) as { creditTransactionId: string }).creditTransactionId);
    expect(new Set(entries).size, answers.join('\n')).to.equal(1);
    expect(await balance()).to.equal(500);
  });

  it('the same key with other input is refused', async () => {
    const text = await call(userKey, 'svc_admin_adjust_credits', {
      workspaceId: 'acme',
      amount: 501,
      reason: 'top up',
      idempotencyKey: 'once',
    });
    expect(text).to.match(/^Invalid input: idempotencyKey: was used with another amount/);
    expect(await balance()).to.equal(500);
  });

  it('the stored result is returned for the same key and input, whichever API key asks; other input is refused', async () => {
    const input = {
      workspaceId: 'acme',
      csv: 'First Name,Last Name,Email\nAda,Lovelace,ada@test.example\n',
      idempotencyKey: 'import-1',
    };
    const second = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    const first = await call(userKey, 'svc_import_leads_csv', input);
    expect(first).to.contain('importId');
    const { workspaceId: _, ...own } = input;
    expect(JSON.parse(await call(second, 'svc_import_leads_csv', own))).to.deep.equal(JSON.parse(first));
    expect(await call(userKey, 'svc_import_leads_csv', { ...input, csv: 'Email\nx@test.example\n' })).to.match(
      /^Invalid input: idempotencyKey: was used with other input/,
    );
    const rows = await mcp.platform((tx) => tx.rows('select 1 from lead_import'));
    expect(rows.length).to.equal(1);
  });

  it('pages follow their cursor to the end; another key gets none of it', async () => {
    for (let i = 0; i < 4; i++) await mcp.key({ workspaceId: 'acme' });
    const seen: string[] = [];
    let cursor: string | null = null;
    let first = '';
    do {
      const input = { workspaceId: 'acme', limit: 2, ...(cursor ? { cursor } : {}) };
      const page = JSON.parse(await call(userKey, 'svc_list_api_keys', input)) as {
        apiKeys: { apiKeyId: string }[];
        nextCursor: string | null;
      };
      seen.push(...page.apiKeys.map((key) => key.apiKeyId));
      cursor = page.nextCursor;
      first ||= cursor ?? '';
    } while (cursor !== null);
    const live = await mcp.platform((tx) => tx.rows(`select 1 from api_key where workspace_id = 'acme'`));
    expect(new Set(seen).size).to.equal(live.length);
    expect(seen.length).to.equal(live.length);
    const other = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    expect(await call(other, 'svc_list_api_keys', { limit: 2, cursor: first })).to.match(/^Invalid input: cursor: /);
    expect(
      await call(userKey, 'svc_list_api_keys', { workspaceId: 'acme', keyType: 'user', limit: 2, cursor: first }),
    ).to.match(/^Invalid input: cursor: /);
  });
});
