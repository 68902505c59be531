import { Registry } from 'prom-client';
import { workspaceSpec } from '../../pkg/api/workspace.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { ALL_SCOPES } from '../../pkg/domain/scopes.ts';
import { callTool } from '../../pkg/mcp/call-tool.ts';
import { createMcpMetrics } from '../../pkg/metrics/mcp-metrics.ts';
import { templateWriter } from '../../pkg/providers/ai/template-writer.ts';
import { createNetworkProviders } from '../../pkg/providers/network/network-providers.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import { graphChecker } from '../../pkg/tools/resources/graph-checker.ts';
import type { Caller } from '../../pkg/tools/tool-context.ts';
import { QUIET_ENRICHMENT } from '../fixtures/tools/quiet-enrichment.ts';
import { DeliberateCalls } from './deliberate-calls.ts';
import { intentOf } from './intent-of.ts';
import { startTestCluster, type TestCluster } from './kube.ts';

/** Tools called as the MCP server calls them (scope, strict input, workspace, handler), on a real database and API. */
export interface ToolCalls {
  cluster: TestCluster;
  /**
   * Calls as a workspace key of `acme`, unless another caller is given; what is created with the same input a second time is another
   * thing. @returns the structured result
   */
  call<T = Record<string, never>>(name: string, input: object, caller?: Caller): Promise<T>;
  /** The text of the refusal. @throws Error when the call succeeds */
  refusal(name: string, input: object, caller?: Caller): Promise<string>;
  /** What the last call told of its progress. */
  heard(): { done: number; of: number; message: string }[];
  rows<T>(sql: string, values?: unknown[]): Promise<T[]>;
  stop(): Promise<void>;
}

/** A key of one workspace with every scope, or with the given ones. */
export function workspaceKey(workspaceId: string, scopes: readonly string[] = ALL_SCOPES, keyId = workspaceId): Caller {
  return {
    keyId,
    keyType: 'workspace',
    keyPrefix: 'owk_test',
    scopes: new Set(scopes),
    user: null,
    platformAdmin: false,
    workspaces: [{ workspaceId, name: workspaceId, role: 'owner' }],
  };
}

/** A platform admin with a user key, member of nothing unless told otherwise. */
export function admin(workspaces: Caller['workspaces'] = []): Caller {
  const user = { id: '018f0000-0000-7000-8000-00000000000a', name: 'Root', email: 'root@outrider.example' };
  return {
    keyId: 'admin',
    keyType: 'user',
    keyPrefix: 'csu_root',
    scopes: new Set(ALL_SCOPES),
    user,
    platformAdmin: true,
    workspaces,
  };
}

/** Starts a cluster with the workspaces `acme` and `rival`. */
export async function startToolCalls(): Promise<ToolCalls> {
  const cluster = await startTestCluster();
  for (const name of ['acme', 'rival']) {
    await cluster.resources({ ids: { uuid: systemIds.uuid, name: () => name } }).create({
      kind: 'Workspace',
      workspaceId: '',
      prefix: 'ws',
      spec: workspaceSpec.parse({ displayName: name, owner: `owner@${name}.example` }),
      intent: intentOf('', name),
      finish: async (_tx, written) => ({ id: written.id }),
    });
  }
  const metrics = createMcpMetrics(new Registry());
  const deliberate = new DeliberateCalls(cluster.db);
  const services = {
    db: cluster.db,
    audit: { append: () => undefined },
    gate: { admitToWorkspace: async () => undefined },
    clocks: { real: cluster.runtime.clock, product: cluster.clock },
    ids: systemIds,
    log: cluster.runtime.log,
    resources: cluster.resources({ checker: graphChecker }),
    providers: createNetworkProviders({}),
    ai: templateWriter,
    enrichment: QUIET_ENRICHMENT,
    cursorSecret: 'test',
    maxKeys: 50,
  };
  let heard: { done: number; of: number; message: string }[] = [];
  const run = async (name: string, input: object, caller: Caller): ReturnType<typeof callTool> => {
    const tool = ALL_TOOLS.find((one) => one.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    const { signal } = new AbortController();
    const authenticated = { caller, workspaceLimits: new Map() };
    const tools = new Map(ALL_TOOLS.map((one) => [one.name as string, one]));
    const call = {
      tool,
      tools,
      authenticated,
      requestId: systemIds.uuid(),
      arguments: input,
      structured: true,
      signal,
    };
    const notes: typeof heard = [];
    heard = notes;
    const progress = (done: number, of: number, message: string): void => {
      notes.push({ done, of, message });
    };
    const result = await callTool(services, metrics, { ...call, progress });
    // What a tool answers is what it declares.
    if (result.structuredContent) tool.output.parse(result.structuredContent);
    return result;
  };
  return {
    cluster,
    async call<T>(name: string, input: object, caller = workspaceKey('acme')) {
      await deliberate.next(name, input);
      const result = await run(name, input, caller);
      if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
      const { next: _, ...own } = result.structuredContent as { next?: object };
      return own as T;
    },
    async refusal(name, input, caller = workspaceKey('acme')) {
      await deliberate.next(name, input);
      const result = await run(name, input, caller);
      if (!result.isError) throw new Error(`${name} was not refused`);
      return result.content[0]?.text ?? '';
    },
    heard: () => heard,
    rows: (sql, values) => cluster.db.tx({ kind: 'platform' }, (tx) => tx.rows(sql, values)),
    stop: () => cluster.stop(),
  };
}
