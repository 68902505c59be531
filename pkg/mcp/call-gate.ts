import { UserError } from '../base/errors.ts';
import { HttpError } from '../base/http/http-error.ts';
import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { Database } from '../postgres/database.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Authenticated, Authenticator } from './authentication.ts';
import { sessionGone } from './errors.ts';
import type { LimitedCalls } from './limited-calls.ts';
import { type Admission, type KeyOwner, ownerLimits, type RateLimits, retrySeconds, type Standing } from './limits.ts';
import type { RefusalMemory } from './refusal-memory.ts';
import { workspacesOfRecords } from './workspaces-of-records.ts';

export interface GateServices {
  db: Database;
  limiter: RefusalMemory;
  metrics: McpMetrics;
  authenticator: Authenticator;
  /** Where every call that a limit refuses is counted for the audit log. */
  limited: LimitedCalls;
}

/** Who calls, as it was known when the request came, and in which session. */
export interface Identified {
  authenticated: Authenticated;
  sessionHash: Buffer | null;
}

/** A limit refused a call. */
export interface Refused {
  text: string;
  retrySeconds: number;
}

/** A call may run as this caller, or is refused. */
export type Admitted = { authenticated: Authenticated } | { refused: Refused };

/**
 * The one place that asks whether what is known of key, user and session is still true, and whether a limit lets a call
 * through. A call learns both in one round trip.
 */
export class CallGate {
  readonly #services: GateServices;

  constructor(services: GateServices) {
    this.#services = services;
  }

  /** Who calls, by what is true now, for what is no call. @throws HttpError 401, 404 when key or session are gone */
  async current({ authenticated, sessionHash }: Identified): Promise<Authenticated> {
    if (authenticated.hash === null && sessionHash === null) return authenticated;
    const { keyId } = authenticated.caller;
    return this.#fresh(authenticated, await this.#services.limiter.standing({ keyId, sessionHash }));
  }

  /**
   * The refusal of a call whose window is known to be full, without a round trip; undefined: has to be asked.
   * @param input for the audit log, as it came
   */
  refusedFromMemory(authenticated: Authenticated, tool: AnyTool, input: unknown): Refused | undefined {
    if (authenticated.hash === null) return undefined;
    const { caller, limits, owner } = authenticated;
    const known = this.#services.limiter.known({ keyId: caller.keyId, owner, category: tool.category, limits });
    return known && this.#refused(authenticated, tool, input, known);
  }

  /** Counts a call. @throws HttpError 401, 404 as `current` */
  async admit(identified: Identified, tool: AnyTool, input: unknown): Promise<Admitted> {
    const { authenticated, sessionHash } = identified;
    // Internal callers are not limited.
    if (authenticated.hash === null) return { authenticated: await this.current(identified) };
    const { keyId } = authenticated.caller;
    const { limits, owner } = authenticated;
    const answer = await this.#services.limiter.admit({ keyId, sessionHash, category: tool.category, limits, owner });
    const current = await this.#fresh(authenticated, answer);
    return answer.refused === null
      ? { authenticated: current }
      : { refused: this.#refused(current, tool, input, answer) };
  }

  /** Counts a call of somebody who was read for this call: nothing of it can be old. */
  async count(authenticated: Authenticated, tool: AnyTool, input: unknown): Promise<Admitted> {
    const { caller, limits, owner } = authenticated;
    const subject = { keyId: caller.keyId, sessionHash: null };
    const answer = await this.#services.limiter.admit({ ...subject, category: tool.category, limits, owner });
    return answer.refused === null ? { authenticated } : { refused: this.#refused(authenticated, tool, input, answer) };
  }

  /**
   * The second check of a user key, against the limits of the workspaces that the call turned out to be about.
   * @param input parsed; the records in it decide where the call names no workspace
   * @throws UserError when one of them refuses
   */
  async admitToWorkspace(
    { caller, workspaceLimits }: Pick<Authenticated, 'caller' | 'workspaceLimits'>,
    { tool, workspaceId, input }: { tool: AnyTool; workspaceId: string; input: Record<string, unknown> },
  ): Promise<void> {
    const { db, limiter, metrics } = this.#services;
    const workspaces = workspaceId !== '' ? [workspaceId] : await workspacesOfRecords(db, input);
    for (const workspace of workspaces) {
      const limits = workspaceLimits.get(workspace);
      if (!limits) continue;
      const subject = { keyId: `${caller.keyId}@${workspace}`, sessionHash: null };
      const answer = await limiter.admit({ ...subject, category: tool.category, limits });
      if (answer.refused === null) continue;
      metrics.rejections.inc({ category: answer.refused });
      throw new UserError(refusalText(tool, answer, limits, ' in this workspace'), 'RateLimited');
    }
  }

  /** A session costs no memory, but a key opens no more of them in a minute than it may make calls. @throws HttpError 429 */
  async countSession({ hash, caller, limits, owner }: Authenticated): Promise<void> {
    if (hash === null) return;
    const most = { ...limits, read: limits.overall };
    const subject = { keyId: `${caller.keyId}#sessions`, sessionHash: null };
    const all = owner && { ...owner, id: `${owner.id}#sessions` };
    const answer = await this.#services.limiter.admit({ ...subject, category: 'read', limits: most, owner: all });
    if (answer.refused === null) return;
    const seconds = retrySeconds(answer.retryMs);
    const [who, count] =
      answer.byOwner && owner
        ? [`All keys of a ${kindOf(owner)} open`, limits.overall * owner.times]
        : ['A key opens', limits.overall];
    const text = `${who} at most ${count} sessions per minute. Use one that is open, or retry after ${seconds}s.`;
    throw new HttpError(429, text, { 'retry-after': String(seconds) });
  }

  /** Every replica looks again at the next request of the key, and finds that the session is gone. */
  sessionEnded({ caller }: Authenticated): Promise<void> {
    return this.#services.limiter.stamp(caller.keyId);
  }

  /** @throws HttpError 401, 404 */
  #fresh(known: Authenticated, now: Standing): Authenticated | Promise<Authenticated> {
    if (now.sessionEnded) throw sessionGone();
    if (known.hash === null || now.version === null || now.version === known.version) return known;
    return this.#services.authenticator.reread(known.hash, now.version);
  }

  #refused({ caller, limits, owner }: Authenticated, tool: AnyTool, input: unknown, answer: Admission): Refused {
    this.#services.metrics.rejections.inc({ category: answer.refused ?? 'overall' });
    this.#services.limited.add(caller, tool, input);
    const text =
      answer.byOwner && owner
        ? refusalText(tool, answer, ownerLimits(limits, owner.times), ` over all keys of the ${kindOf(owner)}`)
        : refusalText(tool, answer, limits);
    return { text, retrySeconds: retrySeconds(answer.retryMs) };
  }
}

function kindOf({ id }: KeyOwner): string {
  return id.startsWith('user:') ? 'user' : 'workspace';
}

/** What a caller reads whom a limit refused. @param where said behind the limit */
function refusalText(tool: AnyTool, answer: Admission, limits: RateLimits, where = ''): string {
  const category = answer.refused ?? 'overall';
  const limit = `category ${category}, ${limits[category]} per minute${where}`;
  return `Rate limit exceeded for ${tool.name} (${limit}). Retry after ${retrySeconds(answer.retryMs)}s.`;
}
