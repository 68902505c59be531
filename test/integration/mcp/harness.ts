import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Registry } from 'prom-client';
import { type Clock, SystemClock } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { ALL_SCOPES } from '../../../pkg/domain/scopes.ts';
import { GENERATION_CHANNEL } from '../../../pkg/mcp/generations.ts';
import type { Limiter, RateLimits } from '../../../pkg/mcp/limits.ts';
import { McpServer } from '../../../pkg/mcp/mcp-server.ts';
import { PostgresLimiter } from '../../../pkg/mcp/postgres-limiter.ts';
import { RefusalMemory } from '../../../pkg/mcp/refusal-memory.ts';
import { ToolList } from '../../../pkg/mcp/tool-list.ts';
import { createMcpMetrics } from '../../../pkg/metrics/mcp-metrics.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { templateWriter } from '../../../pkg/providers/ai/template-writer.ts';
import { createNetworkProviders, type NetworkProviders } from '../../../pkg/providers/network/network-providers.ts';
import { createApiKey } from '../../../pkg/store/tenancy/api-keys.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { KeyedResources } from '../../../pkg/tools/resources/resources.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import type { Connections } from '../../../pkg/tools/tool-context.ts';
import { testPostgres } from '../../tools/postgres.ts';

export const RUNNER_SECRET = 'a-runner-secret-of-tests';
const PLENTY: RateLimits = { read: 1_000_000, write: 1_000_000, llm: 1_000_000, overall: 1_000_000 };

export interface HarnessOptions {
  /** Absent: integrations can not be connected. */
  connections?: Connections | undefined;
  limits?: RateLimits;
  tools?: readonly AnyTool[];
  resources?: KeyedResources;
  /** A database that another server of the same test uses. */
  db?: Database;
  runnerOnMain?: boolean;
  /** Counts in another place than Postgres. */
  limiter?: (db: Database, onGap: () => void) => Limiter;
  version?: string;
  /** Product time; default: the machine's. */
  product?: Clock;
  ingressUrl?: string;
  providers?: NetworkProviders;
  /** Milliseconds without a byte after which a connection is cut. */
  idleMs?: number;
  /** Milliseconds that a body waits for room before it is refused. */
  bodyWaitMs?: number;
  /** Milliseconds for which a server that stops still accepts. */
  drainMs?: number;
}

/** An answer of the HTTP face. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
  json: { result?: Record<string, unknown>; error?: { code: number; message: string }; [key: string]: unknown };
}

/** A listening MCP server on a migrated database. */
export interface Harness {
  url: string;
  internalUrl: string;
  db: Database;
  registry: Registry;
  server: McpServer;
  /** A key of a new user or of a workspace; made directly, as the bootstrap does. */
  key(options: {
    userId?: string;
    workspaceId?: string;
    scopes?: readonly string[];
  }): Promise<{ apiKeyId: string; plaintext: string }>;
  user(options?: { admin?: boolean; member?: string; role?: 'owner' | 'member' }): Promise<string>;
  workspace(id: string): Promise<void>;
  platform<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** One POST with a body as it is. */
  post(key: string | undefined, body: unknown, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** The session id of a new session. */
  initialize(key: string, protocolVersion?: string): Promise<string>;
  /** A connected client of the official SDK. */
  client(key: string): Promise<Client>;
  stop(): Promise<void>;
}

/** Resources that nobody may write: tests of the face need none. */
const NO_RESOURCES: KeyedResources = {
  create: () => Promise.reject(new Error('no cluster')),
  update: () => Promise.reject(new Error('no cluster')),
} as unknown as KeyedResources;

export async function startMcp(options: HarnessOptions = {}): Promise<Harness> {
  const db =
    options.db ??
    new Database({
      url: (await (await testPostgres()).product()).appUrl,
      max: 8,
      applicationName: 'test',
      prepare: true,
      readPipes: 2,
      listen: {
        channel: GENERATION_CHANNEL,
        heard: (payload) => server.announced(payload),
        onGap: () => server.forgetKeys(),
      },
    });
  const clock = new SystemClock();
  const registry = new Registry();
  const limits = options.limits ?? PLENTY;
  const tools = options.tools ?? ALL_TOOLS;
  const server: McpServer = new McpServer({
    services: {
      db,
      clocks: { real: clock, product: options.product ?? clock },
      ...(options.ingressUrl === undefined ? {} : { ingressUrl: options.ingressUrl }),
      ids: systemIds,
      log: createLogger('test', process.env['LOG_LEVEL'] ?? 'silent'),
      resources: options.resources ?? NO_RESOURCES,
      providers: options.providers ?? createNetworkProviders({}),
      ai: templateWriter,
      connections: options.connections,
      cursorSecret: 'a-cursor-secret-of-tests',
      tools: new Map(tools.map((entry) => [entry.name, entry])),
      toolList: new ToolList(tools),
      limiter: new RefusalMemory(options.limiter?.(db, () => server.forgetKeys()) ?? new PostgresLimiter(db)),
      limits,
      metrics: createMcpMetrics(registry),
      version: options.version ?? '0.0.0-test',
    },
    sessionSecret: 'a-session-secret-of-tests',
    runnerSecret: RUNNER_SECRET,
    runnerOnMain: options.runnerOnMain ?? false,
    allowedHosts: [],
    allowedOrigins: [],
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    ...(options.bodyWaitMs === undefined ? {} : { bodyWaitMs: options.bodyWaitMs }),
    ...(options.drainMs === undefined ? {} : { drainMs: options.drainMs }),
  });
  const url = `${await server.listen('127.0.0.1', 0)}/mcp`;
  const internalUrl = `${await server.listen('127.0.0.1', 0, true)}/mcp`;
  const clients: Client[] = [];
  const platform = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'platform' }, work);
  const post = (key: string | undefined, body: unknown, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
    postTo(url, key, body, headers);
  return {
    url,
    internalUrl,
    db,
    registry,
    server,
    platform,
    post,
    key: ({ userId, workspaceId, scopes = ALL_SCOPES }) =>
      platform((tx) =>
        createApiKey(tx, {
          id: systemIds.uuid(),
          keyType: userId ? 'user' : 'workspace',
          userId: userId ?? null,
          workspaceId: workspaceId ?? null,
          name: 'test',
          scopes,
          createdBy: userId ?? systemIds.uuid(),
          now: clock.now(),
        }),
      ),
    user: (about = {}) => platform((tx) => insertUser(tx, about)),
    workspace: (id) =>
      platform(async (tx) => {
        await tx.exec('insert into workspace (id, uid, name, created_at, updated_at) values ($1, $1, $2, 1, 1)', [
          id,
          `Name of ${id}`,
        ]);
      }),
    async initialize(key, protocolVersion = '2025-11-25') {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      const answer = await post(key, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
      return answer.headers.get('mcp-session-id') ?? '';
    },
    async client(key) {
      const client = new Client({ name: 'test', version: '1' });
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      // The SDK's own types disagree under exactOptionalPropertyTypes.
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
      clients.push(client);
      return client;
    },
    async stop() {
      for (const client of clients) await client.close();
      await server.close();
      if (!options.db) await db.close();
    },
  };
}

/** One POST to an MCP address. */
export async function postTo(
  url: string,
  key: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  const json = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, text, json };
}

async function insertUser(
  tx: Tx,
  about: { admin?: boolean; member?: string; role?: 'owner' | 'member' },
): Promise<string> {
  const id = systemIds.uuid();
  await tx.exec('insert into app_user (id, name, email, platform_admin, created_at) values ($1, $2, $3, $4, 1)', [
    id,
    'Test Person',
    `${id}@test.example`,
    about.admin ?? false,
  ]);
  if (about.member) await addMember(tx, about.member, id, about.role ?? 'member');
  return id;
}

/** Makes a user a member; the user's generation moves on, as every change of membership does. */
export async function addMember(tx: Tx, workspaceId: string, userId: string, role: string): Promise<void> {
  await tx.exec('insert into member (id, workspace_id, user_id, role, joined_at) values ($1, $2, $3, $4, 1)', [
    systemIds.uuid(),
    workspaceId,
    userId,
    role,
  ]);
  await tx.exec('update app_user set generation = generation + 1 where id = $1', [userId]);
}
