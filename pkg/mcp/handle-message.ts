import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Authenticated } from './authentication.ts';
import type { CallServices } from './call-context.ts';
import { callTool, refusal, type ToolResult } from './call-tool.ts';
import { RpcError, rpcErrorBody } from './errors.ts';
import type { Limiter, RateLimits } from './limits.ts';
import type { RpcMessage } from './rpc.ts';
import type { Narrowing, ToolList } from './tool-list.ts';

/** What a message is handled with. */
export interface MessageServices extends CallServices {
  tools: ReadonlyMap<string, AnyTool>;
  toolList: ToolList;
  limiter: Limiter;
  limits: RateLimits;
  metrics: McpMetrics;
  /** Re-reads a key whose generation moved on. @throws HttpError 401 when it is gone */
  refresh: (hash: Buffer) => Promise<Authenticated>;
  version: string;
}

/** Of whom and how a message came. */
export interface MessageContext {
  authenticated: Authenticated;
  sessionHash: Buffer | null;
  protocolVersion: string;
  narrowing: Narrowing;
  requestId: string;
  progress: (token: string | number, done: number, total: number, message: string) => void;
  /** @throws HttpError 404 when the session was closed */
  sessionEnded: () => never;
}

/** Source: MCP, utilities/logging. */
const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Answers one request as JSON text; undefined for notifications and responses. */
export async function handleMessage(
  services: MessageServices,
  context: MessageContext,
  message: RpcMessage,
): Promise<string | undefined> {
  const { id, method } = message;
  if (method === undefined || message.notification) return undefined;
  try {
    const result = await resultOf(services, context, method, message.params);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  } catch (error) {
    if (error instanceof RpcError) return JSON.stringify(rpcErrorBody(id, error.code, error.message));
    throw error;
  }
}

async function resultOf(
  services: MessageServices,
  context: MessageContext,
  method: string,
  params: Record<string, unknown>,
): Promise<string> {
  switch (method) {
    case 'ping':
      return '{}';
    case 'tools/list':
      return `{"tools":${services.toolList.json(context.narrowing)}}`;
    case 'tools/call':
      return JSON.stringify(await call(services, context, params));
    case 'logging/setLevel':
      if (!LOG_LEVELS.includes(String(params['level']))) throw new RpcError(-32602, 'Unknown log level.');
      return '{}';
    default:
      throw new RpcError(-32601, `Method not found: ${method.slice(0, 100)}`);
  }
}

async function call(
  services: MessageServices,
  context: MessageContext,
  params: Record<string, unknown>,
): Promise<ToolResult> {
  const name = params['name'];
  const tool = typeof name === 'string' ? services.tools.get(name) : undefined;
  if (!tool) throw new RpcError(-32602, `Unknown tool: ${String(name).slice(0, 100)}`);
  const caller = await admit(services, context, tool);
  if ('refused' in caller) return caller.refused;
  const token = progressToken(params);
  return callTool(services, services.metrics, {
    tool,
    caller: caller.authenticated.caller,
    requestId: context.requestId,
    arguments: params['arguments'],
    structured: context.protocolVersion >= '2025-06-18',
    progress: (done, total, text) => {
      if (token !== undefined) context.progress(token, done, total, text);
    },
  });
}

/** Limits and, in the same round trip, whether key, user and session are still what we know. */
async function admit(
  services: MessageServices,
  context: MessageContext,
  tool: AnyTool,
): Promise<{ authenticated: Authenticated } | { refused: ToolResult }> {
  const { authenticated, sessionHash } = context;
  if (authenticated.hash === null) return { authenticated };
  const keyId = authenticated.caller.keyId;
  const answer = await services.limiter.admit({ keyId, category: tool.category, calls: 1, sessionHash });
  if (answer.sessionEnded) context.sessionEnded();
  const stale =
    answer.keyGeneration !== authenticated.keyGeneration || answer.userGeneration !== authenticated.userGeneration;
  const current = stale ? await services.refresh(authenticated.hash) : authenticated;
  if (answer.refused === null) return { authenticated: current };
  services.metrics.rejections.inc({ category: answer.refused });
  const limit = services.limits[answer.refused];
  return {
    refused: refusal(
      `Rate limit exceeded for ${tool.name} (category ${answer.refused}, ${limit} per minute). Retry after ${answer.retrySeconds}s.`,
    ),
  };
}

function progressToken(params: Record<string, unknown>): string | number | undefined {
  const meta = params['_meta'];
  if (meta === null || typeof meta !== 'object') return undefined;
  const token = (meta as { progressToken?: unknown }).progressToken;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
