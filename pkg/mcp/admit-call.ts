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
 * The second check of a user key, against the limits of the workspace that the call turned out to be about.
 * @param input parsed; a record in it decides where the call names no workspace
 */
export async function admitToWorkspace(
  services: AdmissionServices,
  authenticated: Authenticated,
  { tool, workspaceId, input }: { tool: AnyTool; workspaceId: string; input: Record<string, unknown> },
): Promise<void> {
  if (authenticated.workspaceLimits.size === 0) return;
  const workspace = workspaceId !== '' ? workspaceId : await workspaceOfRecord(services.db, input);
  const limits = workspace === undefined ? undefined : authenticated.workspaceLimits.get(workspace);
  if (!limits) return;
  const subject = { keyId: `${authenticated.caller.keyId}@${workspace}`, sessionHash: null };
  const answer = await services.limiter.admit({ ...subject, category: tool.category, limits });
  if (answer.refused === null) return;
  services.metrics.rejections.inc({ category: answer.refused });
  throw new UserError(refusalText(tool, answer, limits, ' in this workspace'), 'RateLimited');
}

/** The workspace of the first record that the input names; ids are looked up by the name of their field. */
async function workspaceOfRecord(db: Database, input: Record<string, unknown>): Promise<string | undefined> {
  for (const [field, id] of Object.entries(input)) {
    if (!/^[a-z][A-Za-z]{1,40}Id$/.test(field) || typeof id !== 'string') continue;
    const table = field.slice(0, -2).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const found = await db.pool.query<{ workspace: string | null }>({
      name: 'record_workspace',
      text: 'select app.record_workspace($1, $2) as workspace',
      values: [table, id],
    });
    const workspace = found.rows[0]?.workspace;
    if (workspace) return workspace;
  }
  return undefined;
}

/** What a caller reads whom a limit refused. @param where said behind the limit */
export function refusalText(tool: AnyTool, answer: Admission, limits: RateLimits, where = ''): string {
  const category = answer.refused ?? 'overall';
  const limit = `category ${category}, ${limits[category]} per minute${where}`;
  return `Rate limit exceeded for ${tool.name} (${limit}). Retry after ${retrySeconds(answer.retryMs)}s.`;
}
