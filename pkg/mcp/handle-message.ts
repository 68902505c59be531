import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Authenticated } from './authentication.ts';
import type { CallServices } from './call-context.ts';
import type { CallGate, Identified } from './call-gate.ts';
import { callTool } from './call-tool.ts';
import { RpcError, rpcErrorBody } from './errors.ts';
import type { Generations } from './generations.ts';
import { JsonAnswer, type PreparedJson } from './json-answer.ts';
import type { RateLimits } from './limits.ts';
import type { Method } from './methods/method.ts';
import type { NarrowedBy } from './narrowing.ts';
import { progressTokenOf, type RpcMessage } from './rpc.ts';
import { CancelledCall, RunningCalls } from './sessions/running-calls.ts';
import type { ToolList } from './tool-list.ts';
import { refusal, resultJson, type ToolResult } from './tool-result.ts';

/** What a message is handled with. */
export interface MessageServices extends CallServices {
  tools: ReadonlyMap<string, AnyTool>;
  toolList: ToolList;
  limits: RateLimits;
  metrics: McpMetrics;
  gate: CallGate;
  /** What this process changed of keys and users. */
  generations: Generations;
  /** The calls that a client may cancel by another request. */
  running: RunningCalls;
  version: string;
}

/** Who sent a message, and how it came. */
export interface MessageContext extends Identified {
  protocolVersion: string;
  /** What the client said of the tools that it wants to see. */
  narrowedBy: NarrowedBy;
  requestId: string;
  /** Aborted with CancelledCall when the client does not wait any more. */
  signal: AbortSignal;
  progress: (token: string | number, done: number, total: number, message: string) => void;
}

/** What a request is answered with. */
export interface Result {
  /** JSON of an object. */
  json: string | PreparedJson;
  /** A limit refused it, or something was away: seconds after which it may be tried again. */
  retryAfterSeconds?: number | undefined;
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
    return answerOf(message, await resultOf(services, context, methods, message));
  } catch (error) {
    if (error instanceof RpcError) {
      const text = JSON.stringify(rpcErrorBody(id, error.code, error.message, error.data));
      return new JsonAnswer('', text, '', error.retryAfterSeconds);
    }
    if (error instanceof CancelledCall) return undefined;
    throw error;
  }
}

/** A result as JSON-RPC. */
export function answerOf({ id }: RpcMessage, { json, retryAfterSeconds }: Result): JsonAnswer {
  return new JsonAnswer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, json, '}', retryAfterSeconds);
}

/** The refusal of a call of a key that is known to be over its limit: a flood is refused before anything is made for a call that runs. */
export function refusedAtOnce(
  { gate, tools }: MessageServices,
  authenticated: Authenticated,
  message: RpcMessage | undefined,
): Result | undefined {
  if (message?.method !== 'tools/call' || message.notification) return undefined;
  const { name, arguments: input } = message.params;
  const tool = typeof name === 'string' ? tools.get(name) : undefined;
  const refused = tool && gate.refusedFromMemory(authenticated, tool, input);
  return refused && { json: resultJson(refusal(refused.text)), retryAfterSeconds: refused.retrySeconds };
}

/**
 * The result of a request, as the caller that is true now.
 * @throws RpcError -32601 for an unknown method, HttpError when key or session are gone, and what the method throws
 */
export async function resultOf(
  services: MessageServices,
  context: MessageContext,
  methods: ReadonlyMap<string, Method>,
  { id, method = '', params }: RpcMessage,
): Promise<Result> {
  if (method === 'tools/call') {
    const result = await call(services, context, id, params);
    return { json: resultJson(result), retryAfterSeconds: result.retryAfterSeconds };
  }
  const authenticated = await services.gate.current(context);
  const answer = methods.get(method);
  if (!answer) throw new RpcError(-32601, `Method not found: ${method.slice(0, 100)}`, { status: 404 });
  return { json: await answer(services, { ...context, authenticated }, params) };
}

async function call(
  services: MessageServices,
  context: MessageContext,
  id: RpcMessage['id'],
  params: Record<string, unknown>,
): Promise<ToolResult> {
  const name = params['name'];
  const tool = typeof name === 'string' ? services.tools.get(name) : undefined;
  if (!tool) throw new RpcError(-32602, `Unknown tool: ${String(name).slice(0, 100)}`);
  // Without a session the end of the connection is how a call is cancelled.
  if (context.sessionHash === null || id === null) return admittedCall(services, context, tool, params);
  const running = services.running.start(RunningCalls.nameOf(context.sessionHash, id));
  try {
    return await admittedCall(services, { ...context, signal: running.signal }, tool, params);
  } finally {
    running.end();
  }
}

async function admittedCall(
  services: MessageServices,
  context: MessageContext,
  tool: AnyTool,
  params: Record<string, unknown>,
): Promise<ToolResult> {
  const admitted = await services.gate.admit(context, tool, params['arguments']);
  if ('refused' in admitted) {
    return refusal(admitted.refused.text, { retryAfterSeconds: admitted.refused.retrySeconds });
  }
  const token = progressTokenOf(params);
  const result = await callTool(services, services.metrics, {
    tool,
    tools: services.tools,
    authenticated: admitted.authenticated,
    requestId: context.requestId,
    arguments: params['arguments'],
    structured: context.protocolVersion >= '2025-06-18',
    signal: context.signal,
    progress: (done, total, text) => {
      if (token !== undefined) context.progress(token, done, total, text);
    },
  });
  if (!tool.hints.readOnly) await services.generations.settled();
  return result;
}
