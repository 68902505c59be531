import { expect } from 'chai';
import { EXAMPLE_GRAPH } from '../../../pkg/nodes/example-graph.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import { startTestCluster } from '../../tools/kube.ts';
import { type ChangeCount, countChanges } from './count-changes.ts';
import { type Harness, startMcp } from './harness.ts';
import { makeWorkspace } from './make-workspace.ts';

/** Title of every record of the workspace that the hostile caller may not see. */
export const SECRET_OF_RIVAL = 'Rival secret';

/** What a call was answered. */
export interface Answer {
  text: string;
  refused: boolean;
}

type WorkspaceName = 'acme' | 'rival';

/** A server with two workspaces full of records, of which the hostile caller owns one. */
export interface HostileStage {
  /** Ids of the caller's own records and of the rival's, by the names of parameters. */
  own: Record<string, string>;
  foreign: Record<string, string>;
  changes: ChangeCount;
  /** Sends calls of one tool in one batch, each with its arguments as JSON text, with a key that may call it. */
  send(tool: AnyTool, calls: readonly string[]): Promise<Answer[]>;
  /** A call as a member of a workspace. @throws Error when it is refused */
  done(workspace: WorkspaceName, name: string, input: object): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

export async function startHostileStage(): Promise<HostileStage> {
  const cluster = await startTestCluster();
  const mcp = await startMcp({ db: cluster.db, resources: cluster.resources() });
  for (const name of ['acme', 'rival']) await makeWorkspace(cluster, name);
  const admin = await mcp.user({ admin: true, member: 'acme', role: 'owner' });
  const keys = {
    admin: (await mcp.key({ userId: admin })).plaintext,
    acme: (await mcp.key({ workspaceId: 'acme' })).plaintext,
    rival: (await mcp.key({ workspaceId: 'rival' })).plaintext,
  };
  const sessions = new Map<string, string>();
  for (const key of Object.values(keys)) sessions.set(key, await mcp.initialize(key, '2025-03-26'));
  const post = (key: string, name: string, calls: readonly string[]): Promise<Answer[]> =>
    sendBatch(mcp, { key, session: sessions.get(key) ?? '', name, calls });
  const done = async (key: string, name: string, input: object): Promise<Record<string, unknown>> => {
    const [answer] = await post(key, name, [JSON.stringify(input)]);
    if (!answer || answer.refused) throw new Error(`${name}: ${answer?.text}`);
    return JSON.parse(answer.text);
  };
  const maker = { mcp, adminKey: keys.admin, done };
  const own = await makeRecords(maker, { workspaceId: 'acme', key: keys.acme, title: 'Own' });
  const foreign = await makeRecords(maker, { workspaceId: 'rival', key: keys.rival, title: SECRET_OF_RIVAL });
  const changes = await countChanges(cluster);
  return {
    own,
    foreign,
    changes,
    send: (tool, calls) => post(tool.workspace === 'platform' ? keys.admin : keys.acme, tool.name, calls),
    done: (workspace, name, input) => done(keys[workspace], name, input),
    async stop() {
      await changes.close();
      await mcp.stop();
      await cluster.stop();
    },
  };
}

/** What is true of every answer: no fault, nothing of the rival, and a refusal that names what to do. */
export function checkAnswer(tool: AnyTool, what: string, { text, refused }: Answer): void {
  const about = `${tool.name} with ${what}: ${text.slice(0, 300)}`;
  expect(text, about).to.not.contain('failed on our side');
  if (tool.workspace !== 'platform') expect(text, about).to.not.contain(SECRET_OF_RIVAL);
  if (!refused) return;
  expect(text.length, about).to.be.lessThan(3_000);
  expect(text, about).to.match(/^Invalid input: \S|svc_[a-z_]+|Omit workspaceId/);
}

interface Batch {
  key: string;
  session: string;
  name: string;
  calls: readonly string[];
}

async function sendBatch(mcp: Harness, { key, session, name, calls }: Batch): Promise<Answer[]> {
  const messages = calls.map(
    (json, id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${json}}}`,
  );
  const answer = await mcp.post(key, `[${messages.join()}]`, { 'mcp-session-id': session });
  expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
  const answers = answer.json as unknown as { result: { isError?: boolean; content: { text: string }[] } }[];
  expect(answers.length).to.equal(calls.length);
  return answers.map(({ result }) => ({ text: result.content[0]?.text ?? '', refused: result.isError === true }));
}

interface Maker {
  mcp: Harness;
  adminKey: string;
  done(key: string, name: string, input: object): Promise<Record<string, unknown>>;
}

/** One record of each kind that tools make; their ids by the names of parameters. */
async function makeRecords(
  { mcp, adminKey, done }: Maker,
  { workspaceId, key, title }: { workspaceId: WorkspaceName; key: string; title: string },
): Promise<Record<string, string>> {
  const id = async (name: string, input: object, field: string): Promise<string> =>
    String((await done(key, name, input))[field]);
  const campaignId = await id('svc_create_campaign', { title }, 'campaignId');
  await id('svc_create_persona', { campaignId, name: title }, 'personaId');
  await id('svc_create_phase', { campaignId, name: title, phaseType: 'outreach' }, 'phaseId');
  const leadListId = await id('svc_create_lead_list', { name: title }, 'leadListId');
  const icpId = await id('svc_create_icp', { campaignId, titles: [title] }, 'icpId');
  const csv = `First name,Last name,Email\nAda,${title},ada@${workspaceId}.example`;
  const importId = await id('svc_import_leads_csv', { csv, campaignId, leadListId }, 'importId');
  const { leads } = (await done(key, 'svc_search_leads', {})) as { leads: { leadId: string }[] };
  const workflowId = await id('svc_create_workflow', { campaignId, name: title, graph: EXAMPLE_GRAPH }, 'workflowId');
  const { apiKeyId } = await mcp.key({ workspaceId });
  const account = { action: 'register', accountKind: 'network', displayName: title, workspaceId };
  const { accountId } = await done(adminKey, 'svc_admin_link_account', account);
  const networkAccountId = String(accountId);
  const leadId = String(leads[0]?.leadId);
  const same = { sampleLeadId: leadId, accountId: networkAccountId, targetId: workflowId };
  const records = { campaignId, leadListId, icpId, importId, leadId, workflowId, apiKeyId, networkAccountId };
  return { workspaceId, ...records, ...same };
}
