import { idOf } from '../api/object.ts';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../postgres/database.ts';
import type { CachedObject } from './cached-object.ts';
import { type Conditioned, isReady } from './object-conditions.ts';

/** Leads of a workspace by workflow and state of their run. */
export interface WorkspaceCounts {
  campaigns: number;
  workflows: number;
  liveRuns: number;
  signalAgents: number;
  activeSignalAgents: number;
  /** Product time of the last step, epoch ms; null when no run was ever started. */
  lastActivityAt: number | null;
  runs: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

/** Counting a million runs takes a while: each workspace is counted at most this often (real ms). */
const REFRESH_MS = 30_000;
/** What takes long is counted a twentieth of the time at most, and every ten minutes at least. */
const REST_TIMES = 20;
const LONGEST_MS = 600_000;
const MAX_ENTRIES = 2_000;
const ENDED = new Set(['completed', 'stopped', 'suppressed', 'failed']);

type Totals = Pick<WorkspaceCounts, 'campaigns' | 'workflows' | 'signalAgents' | 'activeSignalAgents'>;
const NOTHING: Totals = { campaigns: 0, workflows: 0, signalAgents: 0, activeSignalAgents: 0 };

interface Entry {
  at: number;
  keepMs: number;
  counts: Promise<WorkspaceCounts>;
}

/** Counts of workspaces, computed from Postgres and kept for half a minute, or longer where it takes long. */
export class CountsCache {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  /** @param clock real time */
  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  of(workspaceId: string): Promise<WorkspaceCounts> {
    const now = this.#clock.now();
    const known = this.#entries.get(workspaceId);
    if (known && now - known.at < known.keepMs) return known.counts;
    const counts = this.#count(workspaceId);
    const entry = { at: now, keepMs: REFRESH_MS, counts };
    this.#entries.delete(workspaceId);
    this.#entries.set(workspaceId, entry);
    counts.then(
      () => {
        const rest = REST_TIMES * (this.#clock.now() - now);
        entry.keepMs = Math.min(LONGEST_MS, Math.max(REFRESH_MS, rest));
      },
      () => this.#entries.delete(workspaceId),
    );
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
    return counts;
  }

  /** Forgets what was counted, so that the next look is fresh. */
  forget(workspaceId: string): void {
    this.#entries.delete(workspaceId);
  }

  #count(workspaceId: string): Promise<WorkspaceCounts> {
    return this.#db.tx({ kind: 'platform' }, async (tx) => {
      const totals = await tx.row<Totals>(
        `select (select count(*) from campaign where workspace_id = $1 and deleted_at is null) as campaigns,
                (select count(*) from workflow where workspace_id = $1 and deleted_at is null) as workflows,
                a.known as "signalAgents", a.active as "activeSignalAgents"
         from (
           select count(*) as known, count(*) filter (where s.enabled) as active
           from schedule s
           where s.workspace_id = $1 and s.kind = 'signal_agent' and s.deleted_at is null
         ) a`,
        [workspaceId],
      );
      const rows = await tx.rows<{ workflow_id: string; state: string; n: number; at: number }>(
        `select workflow_id, state, count(*) as n, max(greatest(entered_at, coalesce(ended_at, 0))) as at
         from run where workspace_id = $1 group by workflow_id, state`,
        [workspaceId],
      );
      return { ...NOTHING, ...totals, ...summary(rows) };
    });
  }
}

/** What is not in force yet may change what is counted. */
export function forgetCounts(
  context: { counts: CountsCache; homeNamespace: string },
  object: Conditioned,
  workspace: CachedObject | undefined,
): void {
  if (!workspace || isReady(object)) return;
  context.counts.forget(idOf(workspace, context.homeNamespace));
}

function summary(
  rows: { workflow_id: string; state: string; n: number; at: number }[],
): Pick<WorkspaceCounts, 'runs' | 'liveRuns' | 'lastActivityAt'> {
  const runs = new Map<string, Record<string, number>>();
  let liveRuns = 0;
  let lastActivityAt: number | null = null;
  for (const row of rows) {
    const states = runs.get(row.workflow_id) ?? {};
    states[row.state] = row.n;
    runs.set(row.workflow_id, states);
    if (!ENDED.has(row.state)) liveRuns += row.n;
    lastActivityAt = Math.max(lastActivityAt ?? 0, row.at);
  }
  return { runs, liveRuns, lastActivityAt };
}
