import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import pg from 'pg';
import { workspaceSpec } from '../../pkg/api/workspace.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import type { ConsoleOptions } from '../../pkg/mcp/console/console-face.ts';
import { Ingress } from '../../pkg/mcp/ingress.ts';
import type { AiWriter } from '../../pkg/providers/ai/ai-writer.ts';
import type { EnrichmentDesk } from '../../pkg/providers/enrichment/ask-about.ts';
import type { Bucket } from '../../pkg/providers/media/bucket.ts';
import type { NetworkProviders } from '../../pkg/providers/network/network-providers.ts';
import { moveCredits } from '../../pkg/store/credits/credits.ts';
import { JobWorker } from '../../pkg/tools/jobs/job-worker.ts';
import type { PostOffice } from '../../pkg/tools/mail/post-office.ts';
import { graphChecker } from '../../pkg/tools/resources/graph-checker.ts';
import type { KubeResourcesOptions } from '../../pkg/tools/resources/write-context.ts';
import type { AnyTool } from '../../pkg/tools/tool.ts';
import type { Connections } from '../../pkg/tools/tool-context.ts';
import { type Harness, startMcp } from '../fixtures/mcp/harness.ts';
import { QUIET_ENRICHMENT } from '../fixtures/tools/quiet-enrichment.ts';
import { aMinuteLater, DeliberateCalls } from './deliberate-calls.ts';
import { intentOf } from './intent-of.ts';
import { startTestCluster, type TestCluster } from './kube.ts';

/** Tools as clients of the service see them: a listening MCP server, the official SDK's client, a real API server. */
export interface McpTools {
  cluster: TestCluster;
  mcp: Harness;
  /** Where links in mails and upload addresses lead. */
  ingressUrl: string;
  /** A client with a new key: of a workspace, or of a new user who is a member of several. */
  as(who: { workspace?: string; memberOf?: readonly string[]; scopes?: readonly string[] }): Promise<ToolUser>;
  /** Somebody with a client that is connected already. */
  user(client: Client): ToolUser;
  /** Makes a workspace by its resource. */
  workspace(name: string): Promise<void>;
  /** A healthy network account that is linked to the workspaces. @returns its id */
  account(...workspaces: string[]): Promise<string>;
  /** Credits from the platform. */
  grant(workspaceId: string, credits: number): Promise<void>;
  /** The worker of a server, for jobs that their caller left. @param stretchMs as its own; 0: one step at a time */
  worker(stretchMs?: number): JobWorker;
  /** A minute of real time passes for answers that are kept under no key: the same call is another one then. */
  aMinuteLater(): Promise<void>;
  /** What the server's product clock shows, epoch ms. */
  now(): number;
  rows<T>(sql: string, values?: unknown[]): Promise<T[]>;
  /** As `rows`, past every policy and grant: for tables that no tool may write directly. */
  force<T = unknown>(sql: string, values?: unknown[]): Promise<T[]>;
  stop(): Promise<void>;
}

/** Somebody with a key and a connected client. */
export interface ToolUser {
  client: Client;
  /**
   * A call on purpose: what is created with the same input a second time is another thing.
   * @returns the structured result. @throws Error with the text of a refusal
   */
  call<T = Record<string, unknown>>(name: string, input?: object): Promise<T>;
  /** As `call`, made as by somebody who lost the answer of the same call. */
  again<T = Record<string, unknown>>(name: string, input?: object): Promise<T>;
  /** The text of the refusal. @throws Error when the call succeeds */
  refusal(name: string, input?: object): Promise<string>;
}

interface Answer {
  isError?: boolean;
  content: { text: string }[];
  structuredContent?: object;
}

/** What a stage may have otherwise. */
export interface McpToolsOptions {
  /** Default: every tool as it is. */
  tools?: readonly AnyTool[];
  /** Default: the built-in writer. */
  ai?: AiWriter;
  enrichment?: EnrichmentDesk;
  /** Where mails of the platform are queued; absent: no mail is set up. */
  mail?: PostOffice;
  /** Where bytes of media go; absent: into Postgres. */
  bucket?: Bucket;
  /** The web console; absent: one whose pages are not built. */
  console?: ConsoleOptions;
  /** Called at the gaps of writes of resources. */
  onGap?: KubeResourcesOptions['onGap'];
}

/** Starts everything with the workspaces `acme` and `rival`. @param providers absent: no provider is configured */
export async function startMcpTools(
  providers?: NetworkProviders,
  connections?: Connections,
  { tools, onGap, mail, ai, enrichment, bucket, console }: McpToolsOptions = {},
): Promise<McpTools> {
  const cluster = await startTestCluster();
  const resources = cluster.resources({ checker: graphChecker, ...(onGap ? { onGap } : {}) });
  const { db, clock: product } = cluster;
  const deliberate = new DeliberateCalls(db);
  let ingressUrl = '';
  const oauth = connections && { connections, ingressUrl: () => ingressUrl };
  const ingress = new Ingress({ db, product, ids: systemIds, log: cluster.runtime.log, oauth });
  ingressUrl = await ingress.listen('127.0.0.1', 0);
  const given = {
    ...(providers ? { providers } : {}),
    ...(tools ? { tools } : {}),
    ...(mail ? { mail } : {}),
    ...(ai ? { ai } : {}),
    ...(enrichment ? { enrichment } : {}),
    ...(bucket ? { bucket } : {}),
    ...(console ? { console } : {}),
  };
  const mcp = await startMcp({ db, resources, product, ingressUrl, connections, ...given });
  const workspace = async (name: string): Promise<void> => {
    await cluster.resources({ ids: { uuid: systemIds.uuid, name: () => name } }).create({
      kind: 'Workspace',
      workspaceId: '',
      prefix: 'ws',
      spec: workspaceSpec.parse({ displayName: name, owner: `owner@${name}.example` }),
      intent: intentOf('', name),
      finish: async (_tx, written) => ({ id: written.id }),
    });
  };
  for (const name of ['acme', 'rival']) await workspace(name);
  const force = async <T>(sql: string, values?: unknown[]): Promise<T[]> => {
    const client = new pg.Client({
      connectionString: cluster.superuserUrl,
      options: '-c search_path=outrider,app,public',
    });
    await client.connect();
    const answer = await client.query(sql, values).finally(() => client.end());
    return answer.rows as T[];
  };
  return {
    cluster,
    mcp,
    ingressUrl,
    user: (client) => userOf(client, deliberate),
    workspace,
    async as({ workspace: workspaceId, memberOf, scopes }) {
      const userId = memberOf ? await memberWith(mcp, memberOf) : undefined;
      const { plaintext } = await mcp.key({
        ...(userId ? { userId } : { workspaceId: workspaceId ?? 'acme' }),
        ...(scopes ? { scopes } : {}),
      });
      return userOf(await mcp.client(plaintext), deliberate);
    },
    account: async (...workspaces) => {
      const id = systemIds.name('acc');
      await mcp.platform(async (tx) => {
        await tx.exec(
          `insert into network_account (id, external_id, status_since, created_at, ramp_enabled) values ($1, $1, 1, 1, false)`,
          [id],
        );
        await tx.exec(
          'insert into account_link (account_id, workspace_id, linked_at) select $1, w, 1 from unnest($2::text[]) w',
          [id, workspaces],
        );
      });
      return id;
    },
    grant: (workspaceId, amount) =>
      mcp.platform(async (tx) => {
        const why = { reason: 'test', tool: 'test', keyPrefix: null, idempotencyKey: systemIds.uuid() };
        await moveCredits(tx, { workspaceId, kind: 'grant', amount, ...why, now: product.now() });
      }),
    worker: (stretchMs) => {
      const { clock: real } = cluster.runtime;
      return new JobWorker({
        db,
        clocks: { real, product },
        ids: systemIds,
        providers: providers ?? (() => undefined),
        connections,
        ...(stretchMs === undefined ? {} : { stretchMs }),
        enrichment: enrichment ?? QUIET_ENRICHMENT,
        bucket,
      });
    },
    now: () => cluster.runtime.clock.now(),
    rows: (sql, values) => cluster.db.tx({ kind: 'platform' }, (tx) => tx.rows(sql, values)),
    force,
    aMinuteLater: () => aMinuteLater(db),
    async stop() {
      await mcp.stop();
      await ingress.close();
      await cluster.stop();
    },
  };
}

async function memberWith(mcp: Harness, workspaces: readonly string[]): Promise<string> {
  const userId = await mcp.user();
  await mcp.platform(async (tx) => {
    for (const workspaceId of workspaces) {
      const values = [systemIds.uuid(), workspaceId, userId];
      await tx.exec(
        `insert into member (id, workspace_id, user_id, role, joined_at) values ($1, $2, $3, 'member', 1)`,
        values,
      );
    }
  });
  return userId;
}

function userOf(client: Client, deliberate: DeliberateCalls): ToolUser {
  const ask = async (name: string, input: object): Promise<Answer> =>
    (await client.callTool({ name, arguments: { ...input } })) as unknown as Answer;
  const again = async <T>(name: string, input: object): Promise<T> => {
    const answer = await ask(name, input);
    if (answer.isError) throw new Error(`${name}: ${answer.content[0]?.text}`);
    // What every answer has beside its own fields is the subject of tests of its own.
    const { next: _, ...own } = answer.structuredContent as { next?: object };
    return own as T;
  };
  return {
    client,
    again: (name, input = {}) => again(name, input),
    async call<T>(name: string, input = {}) {
      await deliberate.next(name, input);
      return again<T>(name, input);
    },
    async refusal(name, input = {}) {
      await deliberate.next(name, input);
      const answer = await ask(name, input);
      if (!answer.isError) throw new Error(`${name} was not refused`);
      return answer.content[0]?.text ?? '';
    },
  };
}
