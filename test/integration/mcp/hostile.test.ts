import { expect } from 'chai';
import pg from 'pg';
import { workspaceSpec } from '../../../pkg/api/workspace.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { EXAMPLE_GRAPH } from '../../../pkg/nodes/example-graph.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import { startTestCluster, type TestCluster } from '../../tools/kube.ts';
import { type Harness, startMcp } from './harness.ts';
import { decidedByTool, type Hostile, refusedBySchema } from './hostile-inputs.ts';

const SECRET_OF_RIVAL = 'Rival secret';
/** Tables that a refused call may touch: request limits. */
const NOT_COMPARED = ['rate_window'];

type Text = { text: string; refused: boolean };

describe('hostile input', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let mcp: Harness;
  let superuser: pg.Client | undefined;
  let fingerprintSql: string;
  let own: Record<string, string>;
  let foreign: Record<string, string>;
  const keys = { acme: '', rival: '', admin: '' };
  const sessions = new Map<string, string>();

  before(async () => {
    cluster = await startTestCluster();
    mcp = await startMcp({ db: cluster.db, resources: cluster.resources() });
    for (const name of ['acme', 'rival']) await makeWorkspace(cluster, name);
    const admin = await mcp.user({ admin: true, member: 'acme', role: 'owner' });
    keys.admin = (await mcp.key({ userId: admin })).plaintext;
    keys.acme = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    keys.rival = (await mcp.key({ workspaceId: 'rival' })).plaintext;
    for (const key of Object.values(keys)) sessions.set(key, await mcp.initialize(key, '2025-03-26'));
    own = await records('acme', 'Own');
    foreign = await records('rival', SECRET_OF_RIVAL);
    superuser = new pg.Client({ connectionString: cluster.superuserUrl });
    await superuser.connect();
    fingerprintSql = await fingerprintStatement(superuser);
  });
  after(async () => {
    await superuser?.end();
    await mcp.stop();
    await cluster.stop();
  });

  const keyFor = (tool: AnyTool): string => (tool.workspace === 'platform' ? keys.admin : keys.acme);

  /** Answers of calls in one batch. */
  async function send(key: string, name: string, calls: readonly string[]): Promise<Text[]> {
    const messages = calls.map(
      (json, id) =>
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${json}}}`,
    );
    const answer = await mcp.post(key, `[${messages.join()}]`, { 'mcp-session-id': sessions.get(key) ?? '' });
    expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
    const answers = answer.json as unknown as { result: { isError?: boolean; content: { text: string }[] } }[];
    return answers.map(({ result }) => ({ text: result.content[0]?.text ?? '', refused: result.isError === true }));
  }

  async function done(key: string, name: string, input: object): Promise<Record<string, unknown>> {
    const [answer] = await send(key, name, [JSON.stringify(input)]);
    if (!answer || answer.refused) throw new Error(`${name}: ${answer?.text}`);
    return JSON.parse(answer.text);
  }

  /** One record of each kind that tools make; their ids by the names of parameters. */
  async function records(workspaceId: 'acme' | 'rival', title: string): Promise<Record<string, string>> {
    const id = async (name: string, input: object, field: string): Promise<string> =>
      String((await done(keys[workspaceId], name, input))[field]);
    const campaignId = await id('svc_create_campaign', { title }, 'campaignId');
    await id('svc_create_persona', { campaignId, name: title }, 'personaId');
    await id('svc_create_phase', { campaignId, name: title, phaseType: 'outreach' }, 'phaseId');
    const leadListId = await id('svc_create_lead_list', { name: title }, 'leadListId');
    const icpId = await id('svc_create_icp', { campaignId, titles: [title] }, 'icpId');
    const csv = `First name,Last name,Email\nAda,${title},ada@${workspaceId}.example`;
    const importId = await id('svc_import_leads_csv', { csv, campaignId, leadListId }, 'importId');
    const { leads } = (await done(keys[workspaceId], 'svc_search_leads', {})) as { leads: { leadId: string }[] };
    const graph = EXAMPLE_GRAPH;
    const workflowId = await id('svc_create_workflow', { campaignId, name: title, graph }, 'workflowId');
    const { apiKeyId } = await mcp.key({ workspaceId });
    const account = { action: 'register', accountKind: 'network', displayName: title, workspaceId };
    const { accountId } = await done(keys.admin, 'svc_admin_link_account', account);
    const networkAccountId = String(accountId);
    const leadId = String(leads[0]?.leadId);
    const same = { sampleLeadId: leadId, accountId: networkAccountId, targetId: workflowId };
    return {
      workspaceId,
      campaignId,
      leadListId,
      icpId,
      importId,
      leadId,
      workflowId,
      apiKeyId,
      networkAccountId,
      ...same,
    };
  }

  function reader(): pg.Client {
    if (!superuser) throw new Error('not connected');
    return superuser;
  }

  /** Everything that is stored: rows and objects. */
  async function stored(): Promise<string> {
    const { rows } = await reader().query<{ name: string; hash: string }>(fingerprintSql);
    const lists = await Promise.all(['workspaces', 'campaigns', 'workflows'].map((plural) => cluster.list(plural)));
    const objects = lists.flat().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
    return [...rows.map((row) => `${row.name} ${row.hash}`), ...objects.sort()].join('\n');
  }

  function checkText(tool: AnyTool, hostile: Hostile, { text, refused }: Text): void {
    const about = `${tool.name} with ${hostile.what}: ${text.slice(0, 300)}`;
    expect(text, about).to.not.contain('failed on our side');
    if (tool.workspace !== 'platform') expect(text, about).to.not.contain(SECRET_OF_RIVAL);
    if (!refused) return;
    expect(text.length, about).to.be.lessThan(3_000);
    expect(text, about).to.match(/^Invalid input: \S|svc_[a-z_]+|Omit workspaceId/);
  }

  for (const tool of ALL_TOOLS) {
    it(`${tool.name} names what its schema refuses, and writes nothing`, async () => {
      const before = await stored();
      const cases = refusedBySchema(tool, own);
      for (let from = 0; from < cases.length; from += 100) {
        const part = cases.slice(from, from + 100);
        const answers = await send(
          keyFor(tool),
          tool.name,
          part.map((hostile) => hostile.json),
        );
        expect(answers.length).to.equal(part.length);
        part.forEach((hostile, i) => {
          const answer = answers[i] ?? { text: 'no answer', refused: false };
          checkText(tool, hostile, answer);
          const about = `${tool.name} with ${hostile.what}: ${answer.text.slice(0, 300)}`;
          expect(answer.refused, about).to.equal(true);
          expect(answer.text.startsWith(`Invalid input: ${hostile.path ?? ''}`), about).to.equal(true);
        });
      }
      expect(await stored()).to.equal(before);
    });

    it(`${tool.name} does or refuses whole what its schema lets through`, async () => {
      for (const hostile of decidedByTool(tool, own, foreign)) {
        const before = await stored();
        const [answer] = await send(keyFor(tool), tool.name, [hostile.json]);
        expect(answer, hostile.what).to.not.equal(undefined);
        if (!answer) continue;
        checkText(tool, hostile, answer);
        if (answer.refused) expect(await stored(), `${tool.name} with ${hostile.what}`).to.equal(before);
      }
      expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
    });
  }

  it('the rival still has what it had', async () => {
    const { campaign } = (await done(keys.rival, 'svc_get_campaign', { campaignId: foreign['campaignId'] })) as {
      campaign: { title: string };
    };
    expect(campaign.title).to.equal(SECRET_OF_RIVAL);
  });
});

async function makeWorkspace(cluster: TestCluster, name: string): Promise<void> {
  await cluster.resources({ ids: { uuid: systemIds.uuid, name: () => name } }).create({
    kind: 'Workspace',
    tool: 'test',
    workspaceId: '',
    prefix: 'ws',
    spec: workspaceSpec.parse({ displayName: name, owner: `owner@${name}.example` }),
    intentKey: name,
    finish: async (_tx, written) => ({ id: written.id }),
  });
}

/** One statement that hashes all rows of all tables; when a key was last used is not what a call writes. */
async function fingerprintStatement(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'outrider' order by 1`,
  );
  return rows
    .filter(({ name }) => !NOT_COMPARED.includes(name))
    .map(
      ({ name }) =>
        `select '${name}' as name, coalesce(md5(string_agg(hash, '' order by hash)), '') as hash
           from (select md5((to_jsonb(t) - 'last_used_at')::text) as hash from outrider.${name} t) t`,
    )
    .join(' union all ');
}
