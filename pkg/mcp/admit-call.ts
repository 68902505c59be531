import { UserError } from '../base/errors.ts';
import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { Database } from '../postgres/database.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Authenticated } from './authentication.ts';
import type { LimitedCalls } from './limited-calls.ts';
import { type Admission, type RateLimits, retrySeconds } from './limits.ts';
import type { RefusalMemory } from './refusal-memory.ts';

/** What admission needs. */
export interface AdmissionServices {
  db: Database;
  limiter: RefusalMemory;
  metrics: McpMetrics;
  /** Where every call that a limit refuses is counted for the audit log. */
  limited: LimitedCalls;
  /** Re-reads a key of which something changed. @throws HttpError 401 when it is gone */
  refresh: (hash: Buffer, version: string) => Promise<Authenticated>;
}

/** A call may run as this caller, or is refused for these seconds. */
export type Admitted = { authenticated: Authenticated } | { refused: string; retrySeconds: number };

export interface AdmissionContext {
  authenticated: Authenticated;
  sessionHash: Buffer | null;
  /** @throws HttpError 404 */
  sessionEnded: () => never;
}

/** Limits and, in the same round trip, whether key, user and session are still what we know. */
export async function admitCall(
  services: AdmissionServices,
  context: AdmissionContext,
  tool: AnyTool,
  input: unknown,
): Promise<Admitted> {
  const { authenticated, sessionHash } = context;
  if (authenticated.hash === null) return { authenticated };
  const { keyId } = authenticated.caller;
  const { limits } = authenticated;
  const { category } = tool;
  const answer = await services.limiter.admit({ keyId, sessionHash, category, limits });
  if (answer.sessionEnded) context.sessionEnded();
  const current = await upToDate(services, authenticated, answer.version);
  if (answer.refused === null) return { authenticated: current };
  services.metrics.rejections.inc({ category: answer.refused });
  services.limited.add(current.caller, tool, input);
  return { refused: refusalText(tool, answer, limits), retrySeconds: retrySeconds(answer.retryMs) };
}

/** What is known of a caller, read again when it changed. @throws HttpError 401 */
export async function upToDate(
  services: Pick<AdmissionServices, 'refresh'>,
  authenticated: Authenticated,
  version: string | null,
): Promise<Authenticated> {
  if (authenticated.hash === null || version === null || version === authenticated.version) return authenticated;
  return services.refresh(authenticated.hash, version);
}

/**
 * The second check of a user key, against the limits of the workspaces that the call turned out to be about.
 * @param input parsed; the records in it decide where the call names no workspace
 */
export async function admitToWorkspace(
  services: AdmissionServices,
  authenticated: Authenticated,
  { tool, workspaceId, input }: { tool: AnyTool; workspaceId: string; input: Record<string, unknown> },
): Promise<void> {
  if (authenticated.workspaceLimits.size === 0) return;
  const workspaces = workspaceId !== '' ? [workspaceId] : await workspacesOfRecords(services.db, input);
  for (const workspace of workspaces) {
    const limits = authenticated.workspaceLimits.get(workspace);
    if (!limits) continue;
    const subject = { keyId: `${authenticated.caller.keyId}@${workspace}`, sessionHash: null };
    const answer = await services.limiter.admit({ ...subject, category: tool.category, limits });
    if (answer.refused === null) continue;
    services.metrics.rejections.inc({ category: answer.refused });
    throw new UserError(refusalText(tool, answer, limits, ' in this workspace'), 'RateLimited');
  }
}

/** The workspaces of the first record, or list of records, that the input names; ids are looked up by the name of their field. */
async function workspacesOfRecords(db: Database, input: Record<string, unknown>): Promise<string[]> {
  for (const [field, given] of Object.entries(input)) {
    const record = /^([a-z][A-Za-z]{1,40})Ids?$/.exec(field)?.[1];
    const ids = [given].flat().filter((id) => typeof id === 'string');
    if (record === undefined || ids.length === 0) continue;
    const table = record.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const found = await db.pool.query<{ workspaces: string[] }>({
      name: 'record_workspaces',
      text: 'select app.record_workspaces($1, $2) as workspaces',
      values: [table, ids],
    });
    const workspaces = found.rows[0]?.workspaces ?? [];
    if (workspaces.length > 0) return workspaces;
  }
  return [];
}

/** What a caller reads whom a limit refused. @param where said behind the limit */
export function refusalText(tool: AnyTool, answer: Admission, limits: RateLimits, where = ''): string {
  const category = answer.refused ?? 'overall';
  const limit = `category ${category}, ${limits[category]} per minute${where}`;
  return `Rate limit exceeded for ${tool.name} (${limit}). Retry after ${retrySeconds(answer.retryMs)}s.`;
}
