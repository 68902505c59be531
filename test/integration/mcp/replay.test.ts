import { expect } from 'chai';
import { purgeAnswers } from '../../../pkg/store/erasure/purge-answers.ts';
import { addMember, type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { startTestCluster, type TestCluster } from '../../tools/kube.ts';

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
    expect(text).to.match(/^Invalid input: idempotencyKey: was used with other input/);
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

  it('answers are forgotten after seven days, not before', async () => {
    const import_ = (idempotencyKey: string): Promise<string> =>
      call(userKey, 'svc_import_leads_csv', {
        workspaceId: 'acme',
        csv: `Email\n${idempotencyKey}@x.example\n`,
        idempotencyKey,
      });
    const kept = async (): Promise<string[]> => {
      const rows = await mcp.platform((tx) =>
        tx.rows<{ key: string }>(
          `select idempotency_key as key from idempotency where result::text like '%importId%'
           union all select intent_key from intent order by 1`,
        ),
      );
      return rows.map((row) => row.key);
    };
    await mcp.platform((tx) => tx.exec('delete from idempotency'));
    for (const name of ['old', 'older', 'young']) await import_(name);
    await mcp.platform(async (tx) => {
      await tx.exec(
        `insert into intent (workspace_id, tool, intent_key, object_name, input_hash, state, result) values ('acme', 't', 'old-object', 'o', '', 'done', '{}')`,
      );
      await tx.exec(`update intent set created_at = created_at - interval '169 hours'`);
      await tx.exec(
        `update idempotency set created_at = created_at - case idempotency_key when 'young' then interval '167 hours' else interval '169 hours' end`,
      );
    });
    expect(await kept()).to.have.members(['old', 'older', 'old-object', 'young']);
    while ((await mcp.platform((tx) => purgeAnswers(tx, 1))) > 0);
    expect(await kept()).to.deep.equal(['young']);
  });

  it('answers of calls without a key are forgotten after an hour, not within the minute for which they are known', async () => {
    const create = (name: string): Promise<string> =>
      call(userKey, 'svc_create_lead_list', { workspaceId: 'acme', name });
    const kept = (): Promise<{ name: string }[]> =>
      mcp.platform((tx) => tx.rows(`select result ->> 'name' as name from idempotency order by created_at`));
    await mcp.platform((tx) => tx.exec('delete from idempotency'));
    await create('An hour ago');
    await mcp.platform((tx) => tx.exec(`update idempotency set created_at = created_at - interval '61 minutes'`));
    const first = await create('Now');
    while ((await mcp.platform((tx) => purgeAnswers(tx, 1))) > 0);
    expect(await kept()).to.deep.equal([{ name: 'Now' }]);
    expect(await create('Now')).to.equal(first);
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

// Source: design, section 6: same key, same answer, same charge, for seven days; bound to workspace and tool.
describe('a repeated call', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let mcp: Harness;
  let key: string;
  let session: string;

  before(async () => {
    cluster = await startTestCluster();
    mcp = await startMcp({ db: cluster.db, resources: cluster.resources() });
    await mcp.workspace('acme');
    const user = await mcp.user({ admin: true, member: 'acme', role: 'owner' });
    key = (await mcp.key({ userId: user })).plaintext;
    session = await mcp.initialize(key);
  });
  after(async () => {
    await mcp.stop();
    await cluster.stop();
  });

  const answer = async (name: string, input: object): Promise<string> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    const { text } = await mcp.post(key, body, { 'mcp-session-id': session });
    // Catalog: where a result has this field, it alone tells a repetition from the first call.
    return text
      .replaceAll('"deduplicated":true', '"deduplicated":false')
      .replaceAll('\\"deduplicated\\":true', '\\"deduplicated\\":false');
  };
  /** What makes each tool with an idempotency key do something, and what would be other input. */
  const INPUTS: Record<string, { input: object; other: object }> = {
    svc_import_leads_csv: { input: { csv: 'Email\na@replay.example\n' }, other: { csv: 'Email\nb@replay.example\n' } },
    svc_admin_adjust_credits: { input: { amount: 5, reason: 'r' }, other: { amount: 6, reason: 'r' } },
    svc_admin_create_workspace: {
      input: { name: 'Replayed', ownerEmail: 'o@replay.example' },
      other: { name: 'Other', ownerEmail: 'o@replay.example' },
    },
  };

  for (const [name, { input, other }] of Object.entries(INPUTS)) {
    it(`${name} answers it byte for byte, and refuses the key with other input by name`, async () => {
      const idempotencyKey = `replay-${name}`;
      const where = name === 'svc_admin_create_workspace' ? {} : { workspaceId: 'acme' };
      const first = await answer(name, { ...where, ...input, idempotencyKey });
      expect(first).to.not.contain('"isError"');
      expect(await answer(name, { ...where, ...input, idempotencyKey })).to.equal(first);
      expect(await answer(name, { idempotencyKey, ...input, ...where }), 'fields in another order').to.equal(first);
      expect(await answer(name, { ...where, ...other, idempotencyKey })).to.match(
        /Invalid input: idempotencyKey: was used with other input/,
      );
    });

    it(`${name} makes those that come at once wait for the first, which does the work alone`, async () => {
      const idempotencyKey = `at-once-${name}`;
      const where = name === 'svc_admin_create_workspace' ? {} : { workspaceId: 'acme' };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => answer(name, { ...where, ...other, idempotencyKey })),
      );
      expect(new Set(answers).size, answers.join('\n')).to.equal(1);
    });
  }
});
