import type { UserError } from '../../base/errors.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { Authenticated } from '../authentication.ts';
import { callTool } from '../call-tool.ts';
import { FORBIDDEN, RATE_LIMITED, RpcError } from '../errors.ts';
import type { MessageContext, MessageServices } from '../handle-message.ts';

/** Admits what a tool is asked for by another method than tools/call. @throws RpcError when a limit refuses */
export async function admitLikeTool(
  services: MessageServices,
  context: MessageContext,
  tool: AnyTool,
  input: Record<string, unknown>,
): Promise<Authenticated> {
  const admitted = await services.gate.admit(context, tool, input);
  if ('authenticated' in admitted) return admitted.authenticated;
  const { text, retrySeconds: retryAfterSeconds } = admitted.refused;
  throw new RpcError(RATE_LIMITED, text, { data: { retryAfterSeconds }, retryAfterSeconds });
}

/**
 * The JSON text that a tool answers, for methods that show the same record in another form. Limits, scope, tenancy and
 * audit are those of the tool.
 * @throws RpcError with the tool's own text; `notFoundCode` where the record is not there
 */
export async function textOfTool(
  services: MessageServices,
  context: MessageContext,
  name: string,
  input: Record<string, unknown>,
  notFoundCode: number,
): Promise<string> {
  const tool = services.tools.get(name);
  if (!tool) throw new RpcError(-32601, `${name} is not served here.`);
  const authenticated = await admitLikeTool(services, context, tool, input);
  const result = await callTool(services, services.metrics, {
    tool,
    tools: services.tools,
    authenticated,
    requestId: context.requestId,
    arguments: input,
    structured: false,
    signal: context.signal,
    progress: () => undefined,
  });
  const text = result.content[0]?.text ?? '';
  if (!result.isError) return text;
  throw new RpcError(codeOf(result.refused, notFoundCode), text);
}

function codeOf(refused: UserError | undefined, notFoundCode: number): number {
  if (refused === undefined) return -32_603;
  if (refused.reason === 'NotFound') return notFoundCode;
  if (refused.reason === 'Scope') return FORBIDDEN;
  if (refused.reason === 'RateLimited') return RATE_LIMITED;
  return -32_602;
}
