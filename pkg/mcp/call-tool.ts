import { monotonicMs } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller } from '../tools/tool-context.ts';
import { appendAudit } from './audit.ts';
import { type CallServices, callContext } from './call-context.ts';
import { resolveWorkspace } from './resolve-workspace.ts';
import { validateInput } from './validate-input.ts';

/** A tool result as MCP sends it. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: object;
  isError?: boolean;
}

export interface ToolCall {
  tool: AnyTool;
  caller: Caller;
  requestId: string;
  arguments: unknown;
  /** Whether the protocol version has structuredContent. */
  structured: boolean;
  progress: (done: number, total: number, message: string) => void;
  /** The check that waits for the workspace to be known. @throws UserError when a limit refuses */
  admit?: (workspaceId: string, input: Record<string, unknown>) => Promise<void>;
}

/**
 * Runs one admitted call: scope, strict validation, workspace, handler. Refusals become `isError` texts; faults are
 * logged under the request's id, which the caller gets to quote.
 */
export async function callTool(services: CallServices, metrics: McpMetrics, call: ToolCall): Promise<ToolResult> {
  const { tool, caller, requestId } = call;
  const started = monotonicMs();
  const finish = (result: 'ok' | 'refused' | 'fault'): void => {
    metrics.calls.inc({ tool_domain: tool.domain, result });
    const ms = monotonicMs() - started;
    metrics.duration.observe({ category: tool.category }, ms / 1_000);
    services.log.info({ tool: tool.name, requestId, key: caller.keyPrefix, result, ms }, 'call');
  };
  try {
    requireScope(tool, caller);
    const input = validateInput(tool.input, call.arguments ?? {}) as Record<string, unknown>;
    const workspaceId = resolveWorkspace(tool, caller, input);
    await call.admit?.(workspaceId, input);
    const context = callContext(services, { tool, caller, workspaceId, requestId, input, progress: call.progress });
    const output = await tool.run(context, input as never);
    if (!tool.hints.readOnly) await audit(services, call, input, workspaceId);
    finish('ok');
    const text = JSON.stringify(output);
    return { content: [{ type: 'text', text }], ...(call.structured ? { structuredContent: output } : {}) };
  } catch (error) {
    if (error instanceof UserError) {
      finish('refused');
      return refusal(error.message);
    }
    finish('fault');
    services.log.error({ err: error, tool: tool.name, requestId }, 'tool failed');
    return refusal(
      `${tool.name} failed on our side (reference ${requestId}). Retry with the same idempotencyKey; if it stays, call svc_diagnose.`,
    );
  }
}

/** A result that the caller must act on; plain text, not JSON (specification, Errors 1). */
export function refusal(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
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

async function audit(
  services: CallServices,
  call: ToolCall,
  input: Record<string, unknown>,
  workspaceId: string,
): Promise<void> {
  const named = typeof input['workspaceId'] === 'string' ? input['workspaceId'] : null;
  try {
    await appendAudit(services.db, {
      id: services.ids.uuid(),
      at: services.clocks.product.now(),
      caller: call.caller,
      tool: call.tool.name,
      workspaceId: workspaceId !== '' ? workspaceId : named,
      requestId: call.requestId,
      fields: Object.keys(input),
    });
  } catch (error) {
    services.log.error({ err: error, requestId: call.requestId }, 'audit entry could not be written');
  }
}
