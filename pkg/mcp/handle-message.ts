import type { AnyTool } from '../tools/tool.ts';
import { type AdmissionContext, type AdmissionServices, admitCall, admitToWorkspace } from './admit-call.ts';
import type { CallServices } from './call-context.ts';
import { callTool } from './call-tool.ts';
import { RpcError, rpcErrorBody } from './errors.ts';
import { JsonAnswer, type PreparedJson } from './json-answer.ts';
import type { RateLimits } from './limits.ts';
import type { Method } from './methods/method.ts';
import type { Narrowing } from './narrowing.ts';
import { progressTokenOf, type RpcMessage } from './rpc.ts';
import { CancelledCall } from './running-calls.ts';
import type { ToolList } from './tool-list.ts';
import { refusal, resultJson, type ToolResult } from './tool-result.ts';

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
  /** @throws HttpError 400 for a name that is none of ours */
  narrowing: () => Narrowing;
  requestId: string;
  /** Aborted with CancelledCall when the client does not wait any more. */
  signal: AbortSignal;
  progress: (token: string | number, done: number, total: number, message: string) => void;
  /** A call was refused by a limit. */
  refused: (retrySeconds: number) => void;
}

/** Answers one request; undefined for notifications, responses and cancelled calls. */
export async function handleMessage(
  services: MessageServices,
  context: MessageContext,
  methods: ReadonlyMap<string, Method>,
  message: RpcMessage,
): Promise<JsonAnswer | undefined> {
  const { id, method } = message;
  if (method === undefined || message.notification) return undefined;
  try {
    const result = await resultOf(services, context, methods, message);
    return new JsonAnswer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, result, '}');
  } catch (error) {
    if (error instanceof RpcError)
      return new JsonAnswer('', JSON.stringify(rpcErrorBody(id, error.code, error.message, error.data)), '');
    if (error instanceof CancelledCall) return undefined;
    throw error;
  }
}

/** The result of a request as JSON of an object. @throws RpcError -32601 for an unknown method, and what it throws */
export async function resultOf(
  services: MessageServices,
  context: MessageContext,
  methods: ReadonlyMap<string, Method>,
  { method = '', params }: RpcMessage,
): Promise<string | PreparedJson> {
  if (method === 'tools/call') return resultJson(await call(services, context, params));
  const answer = methods.get(method);
  if (!answer) throw new RpcError(-32601, `Method not found: ${method.slice(0, 100)}`, { status: 404 });
  return answer(services, context, params);
}

async function call(
  services: MessageServices,
  context: MessageContext,
  params: Record<string, unknown>,
): Promise<ToolResult> {
  const name = params['name'];
  const tool = typeof name === 'string' ? services.tools.get(name) : undefined;
  if (!tool) throw new RpcError(-32602, `Unknown tool: ${String(name).slice(0, 100)}`);
  const admitted = await admitCall(services, context, tool, params['arguments']);
  if ('refused' in admitted) {
    context.refused(admitted.retrySeconds);
    return refusal(admitted.refused);
  }
  const { authenticated } = admitted;
  const token = progressTokenOf(params);
  const result = await callTool(services, services.metrics, {
    tool,
    caller: authenticated.caller,
    requestId: context.requestId,
    arguments: params['arguments'],
    structured: context.protocolVersion >= '2025-06-18',
    signal: context.signal,
    admit: (workspaceId, input) => admitToWorkspace(services, authenticated, { tool, workspaceId, input }),
    progress: (done, total, text) => {
      if (token !== undefined) context.progress(token, done, total, text);
    },
  });
  if (result.retryAfterSeconds !== undefined) context.refused(result.retryAfterSeconds);
  if (!tool.hints.readOnly) await services.settled();
  return result;
}
