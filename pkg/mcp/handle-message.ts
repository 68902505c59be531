import type { AnyTool } from '../tools/tool.ts';
import { type AdmissionContext, type AdmissionServices, admitCall, admitToWorkspace } from './admit-call.ts';
import type { CallServices } from './call-context.ts';
import { callTool, refusal, type ToolResult } from './call-tool.ts';
import { RpcError, rpcErrorBody } from './errors.ts';
import type { RateLimits } from './limits.ts';
import type { RpcMessage } from './rpc.ts';
import type { Narrowing, ToolList } from './tool-list.ts';

/** What a message is handled with. */
export interface MessageServices extends CallServices, AdmissionServices {
  tools: ReadonlyMap<string, AnyTool>;
  toolList: ToolList;
  limits: RateLimits;
  /** Waits until what this process changed of keys and users holds on every replica. */
  settled: () => Promise<void>;
  version: string;
}

/** Of whom and how a message came. */
export interface MessageContext extends AdmissionContext {
  protocolVersion: string;
  narrowing: Narrowing;
  requestId: string;
  progress: (token: string | number, done: number, total: number, message: string) => void;
  /** A call was refused by a limit. */
  refused: (retrySeconds: number) => void;
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
  const admitted = await admitCall(services, context, tool);
  if ('refused' in admitted) {
    context.refused(admitted.retrySeconds);
    return refusal(admitted.refused);
  }
  const { authenticated } = admitted;
  const token = progressToken(params);
  const result = await callTool(services, services.metrics, {
    tool,
    caller: authenticated.caller,
    requestId: context.requestId,
    arguments: params['arguments'],
    structured: context.protocolVersion >= '2025-06-18',
    admit: (workspaceId, input) => admitToWorkspace(services, authenticated, { tool, workspaceId, input }),
    progress: (done, total, text) => {
      if (token !== undefined) context.progress(token, done, total, text);
    },
  });
  if (!tool.hints.readOnly) await services.settled();
  return result;
}

function progressToken(params: Record<string, unknown>): string | number | undefined {
  const meta = params['_meta'];
  if (meta === null || typeof meta !== 'object') return undefined;
  const token = (meta as { progressToken?: unknown }).progressToken;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
