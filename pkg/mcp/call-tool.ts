import { UserError } from '../base/errors.ts';
import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { Tx } from '../postgres/database.ts';
import { isDatabaseAway } from '../postgres/database-away.ts';
import { isDeadlock } from '../postgres/deadlock.ts';
import { type AnyTool, isUpdate } from '../tools/tool.ts';
import type { Caller } from '../tools/tool-context.ts';
import type { Authenticated } from './authentication.ts';
import { type CallServices, runCall } from './call-context.ts';
import { CallRecord } from './call-record.ts';
import { AWAY_SECONDS, faultText, MET_SECONDS } from './fault-text.ts';
import { withNext } from './next-tools.ts';
import { refusalText } from './refusal-text.ts';
import { refuseEnding } from './refuse-ending.ts';
import { resolveWorkspace } from './resolve-workspace.ts';
import { CancelledCall } from './sessions/running-calls.ts';
import { refusal, success, type ToolResult } from './tool-result.ts';
import { validateInput } from './validate-input.ts';
import { withinRoles } from './within-roles.ts';

export interface ToolCall {
  tool: AnyTool;
  /** All that are served: what an answer goes on with is one of them. */
  tools: ReadonlyMap<string, AnyTool>;
  authenticated: Pick<Authenticated, 'caller' | 'workspaceLimits'>;
  requestId: string;
  arguments: unknown;
  /** Whether the protocol version has structuredContent. */
  structured: boolean;
  /** Aborted with CancelledCall when the client does not wait any more. */
  signal: AbortSignal;
  progress: (done: number, total: number, message: string) => void;
}

/**
 * Runs one admitted call: scope, strict validation, workspace, handler. Refusals become `isError` texts; faults are
 * logged under the request's id, which the caller gets to quote.
 * @throws CancelledCall when the handler stopped because the client does not wait any more
 */
export async function callTool(services: CallServices, metrics: McpMetrics, call: ToolCall): Promise<ToolResult> {
  const { tool, requestId, authenticated } = call;
  let { caller } = authenticated;
  let hint = '';
  const record = new CallRecord({
    id: requestId,
    at: services.clocks.product.now(),
    tool,
    caller,
    requestId,
  });
  const finish = (result: 'ok' | 'refused' | 'cancelled' | 'fault'): void => {
    const us = record.elapsedUs();
    metrics.calls.inc({ tool_domain: tool.domain, result });
    metrics.duration.observe({ category: tool.category }, us / 1_000_000);
    services.audit.append(record.ended(result, us));
    // Reads are in metrics and the audit log; a line for each would cost more than the read.
    const level = tool.hints.readOnly && result !== 'fault' ? 'debug' : 'info';
    if (services.log.isLevelEnabled(level))
      services.log[level]({ tool: tool.name, requestId, key: caller.keyPrefix, result, ms: us / 1_000 }, 'call');
  };
  try {
    requireScope(tool, caller);
    requireReach(tool, caller);
    const input = validateInput(tool.input, call.arguments, isUpdate(tool)) as Record<string, unknown>;
    refuseEnding(tool, caller, input);
    ({ caller, hint } = withinRoles(tool, caller, input));
    const workspaceId = resolveWorkspace(tool, caller, input);
    record.input(input, workspaceId);
    // The check that waits for the workspace to be known.
    if (authenticated.workspaceLimits.size > 0)
      await services.gate.admitToWorkspace(authenticated, { tool, workspaceId, input });
    const { progress, signal } = call;
    const auditWrite = (tx: Tx): Promise<void> => record.committed(tx);
    const request = { tool, caller, workspaceId, requestId, input, progress, signal, auditWrite };
    const output = await runCall(services, request);
    record.output(output);
    finish('ok');
    return success(withNext(output, { tool, tools: call.tools, scopes: caller.scopes }), call.structured);
  } catch (error) {
    if (error instanceof UserError) {
      finish('refused');
      const said = refusalText(error.message, { tools: call.tools, scopes: caller.scopes });
      const text = error.reason === 'NotFound' && hint !== '' ? `${said} ${hint}` : said;
      return refusal(text, { refused: error });
    }
    if (error instanceof CancelledCall) {
      finish('cancelled');
      throw error;
    }
    finish('fault');
    if (isDatabaseAway(error)) {
      services.log.warn({ err: error, tool: tool.name, requestId }, 'the database is away');
      return { ...refusal(faultText('away', tool, requestId)), retryAfterSeconds: AWAY_SECONDS };
    }
    if (isDeadlock(error)) {
      services.log.warn({ err: error, tool: tool.name, requestId }, 'two calls waited for each other');
      return { ...refusal(faultText('met', tool, requestId)), retryAfterSeconds: MET_SECONDS };
    }
    services.log.error({ err: error, tool: tool.name, requestId }, 'tool failed');
    return refusal(faultText('failed', tool, requestId));
  }
}

function requireScope(tool: AnyTool, caller: Caller): void {
  const partly = tool.partialScope !== undefined && caller.scopes.has(tool.partialScope);
  const missing = tool.scope !== 'none' && !caller.scopes.has(tool.scope) && !partly;
  const admin = tool.workspace === 'platform' && !caller.platformAdmin;
  if (!missing && !admin) return;
  throw new UserError(
    `Scope ${tool.scope} is required to call ${tool.name}. Call svc_whoami to see the scopes of this key.`,
    'Scope',
  );
}

/** What a person did not allow a chat client. @throws UserError that says how they could */
function requireReach(tool: AnyTool, caller: Caller): void {
  if (tool.reaches !== true || caller.mayReach !== false) return;
  throw new UserError(
    `${tool.name} reaches people or spends, and who connected this chat client did not allow that. To allow it, connect the client again and tick "Reaching people and spending". Call svc_whoami to see its scopes.`,
    'Reach',
  );
}
