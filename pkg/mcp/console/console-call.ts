import { z } from 'zod';
import type { UserError } from '../../base/errors.ts';
import { HttpError } from '../../base/http/http-error.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { Authenticated } from '../authentication.ts';
import { callTool } from '../call-tool.ts';
import { RpcError } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import { retryAfter, sendJson } from '../http-io.ts';
import { parseJson } from '../request-checks.ts';
import { CancelledCall } from '../sessions/running-calls.ts';
import type { ToolResult } from '../tool-result.ts';
import { untilClosed } from '../until-closed.ts';

const bodySchema = z.strictObject({
  name: z.string().max(100),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** The call sees this workspace alone, as one by a key of it would: where a record is in several, this one is meant. */
  workspaceId: z.string().max(100).optional(),
  /** By which a call that is made again is known, of tools that take `idempotencyKey`. */
  key: z.string().min(1).max(128).optional(),
});

/** Why a call was not made, for what shows it. */
type Kind = 'refused' | 'limited' | 'denied' | 'fault';

const STATUS: Readonly<Record<Kind, number>> = { refused: 422, limited: 429, denied: 403, fault: 503 };
/** Reasons of a refusal that no other input changes. */
const DENIED: readonly string[] = ['Scope', 'Role', 'NotMember', 'WorkspaceMismatch'];

/** Calls a tool as who is signed in: the same limits, rules and audit that a call of MCP meets. */
export async function answerCall(services: MessageServices, exchange: Exchange, body: string): Promise<void> {
  const { requestId, response } = exchange;
  const { name, arguments: given, key, workspaceId } = parsed(body);
  const tool = services.tools.get(name);
  const authenticated =
    workspaceId === undefined ? exchange.authenticated : within(exchange.authenticated, workspaceId);
  if (!tool) {
    fail(response, { kind: 'refused', error: `Unknown tool: ${name}` });
    return;
  }
  const input = withKey(tool, given, key);
  const admitted = await services.gate.count(authenticated, tool, input);
  if ('refused' in admitted) {
    const { text: error, retrySeconds } = admitted.refused;
    fail(response, { kind: 'limited', error, retryAfter: retrySeconds });
    return;
  }
  try {
    const result = await callTool(services, services.metrics, {
      tool,
      tools: services.tools,
      authenticated,
      requestId,
      arguments: input,
      structured: true,
      signal: untilClosed(response),
      progress: () => undefined,
    });
    if (!tool.hints.readOnly) await services.generations.settled();
    answer(response, result);
  } catch (error) {
    if (!(error instanceof CancelledCall)) throw error;
    response.destroy();
  }
}

function answer(response: Exchange['response'], { content, isError, refused, retryAfterSeconds }: ToolResult): void {
  const text = content[0]?.text ?? '';
  // The text of what worked is the JSON of its object.
  if (!isError) sendJson(response, 200, `{"result":${text}}`);
  else fail(response, { kind: refusalKindOf(refused), error: text, retryAfter: retryAfterSeconds });
}

/** What it is to who was refused; undefined: nobody was, it failed. */
export function refusalKindOf(refused: UserError | undefined): Kind {
  if (refused === undefined) return 'fault';
  if (refused.reason === 'RateLimited') return 'limited';
  return DENIED.includes(refused.reason) ? 'denied' : 'refused';
}

interface Failure {
  kind: Kind;
  error: string;
  /** Seconds. */
  retryAfter?: number | undefined;
}

function fail(response: Exchange['response'], failure: Failure): void {
  sendJson(response, STATUS[failure.kind], JSON.stringify(failure), retryAfter(failure.retryAfter));
}

/** The same member, who sees one workspace alone. @throws HttpError 403 where they are no member */
export function within(authenticated: Authenticated, workspaceId: string): Authenticated {
  const { caller } = authenticated;
  const workspaces = caller.workspaces.filter((one) => one.workspaceId === workspaceId);
  if (workspaces.length === 0) throw new HttpError(403, 'You are no member of this workspace.');
  return { ...authenticated, caller: { ...caller, workspaces } };
}

/** @throws HttpError 400 */
function parsed(body: string): z.output<typeof bodySchema> {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (error) {
    if (error instanceof RpcError) throw new HttpError(400, error.message);
    throw error;
  }
  const found = bodySchema.safeParse(value);
  if (found.success) return found.data;
  throw new HttpError(400, 'The body must be {"name": "svc_…", "arguments": {…}, "key": "…", "workspaceId": "…"}.');
}

function withKey(tool: AnyTool, input: Record<string, unknown>, key: string | undefined): Record<string, unknown> {
  if (key === undefined || !('idempotencyKey' in tool.input.shape) || 'idempotencyKey' in input) return input;
  return { ...input, idempotencyKey: key };
}
