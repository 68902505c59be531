import type { Cadence, FindingKind, WatchState } from '../../domain/watches/watch-state.ts';
import type { Tx } from '../../postgres/database.ts';

export type WatchKind = 'competitor' | 'topic' | 'search';

/** What people set of a watch; its name and times are its schedule's. */
export interface WatchSettings {
  kind: WatchKind;
  cadence: Cadence;
  profileUrl: string | null;
  domain: string | null;
  findingKinds: readonly FindingKind[];
  query: string | null;
  searchUrl: string | null;
  leadListId: string | null;
  /** Null: no limit of its own. */
  monthlyCreditLimit: number | null;
}

/** A watch. Times epoch ms UTC, product time. */
export interface Watch extends WatchSettings {
  id: string;
  workspaceId: string;
  name: string;
  /** Nobody paused it. */
  enabled: boolean;
  nextFor: number | null;
  everyMs: number;
  everyFrom: number;
  /** It paused itself until then; null: it did not, or until somebody resumes it. */
  pausedUntil: number | null;
  /** '': it did not pause itself. */
  pauseReason: string;
  /** Checks in a row that failed. */
  faults: number;
  state: WatchState;
  lastCheckedAt: number | null;
  timezone: string;
  createdAt: number;
}

const WATCH = `a.id, a.workspace_id as "workspaceId", a.kind, a.cadence, a.profile_url as "profileUrl", a.domain,
  a.finding_kinds as "findingKinds", a.query, a.search_url as "searchUrl", a.lead_list_id as "leadListId",
  a.monthly_credit_limit as "monthlyCreditLimit", s.name, s.enabled, s.next_for as "nextFor", s.every_ms as "everyMs",
  s.every_from as "everyFrom", a.paused_until as "pausedUntil", a.pause_reason as "pauseReason", a.faults, a.state,
  a.last_checked_at as "lastCheckedAt", w.timezone, a.created_at as "createdAt"
  from watch a
  join schedule s on s.id = a.id and s.deleted_at is null
  join workspace w on w.id = a.workspace_id`;

/** @param id a UUID @returns undefined when the transaction sees no such watch */
export function readWatch(tx: Tx, id: string): Promise<Watch | undefined> {
  return tx.row<Watch>(`select ${WATCH} where a.id = $1`, [id]);
}

/** As `readWatch`, locked: its checks, its pauses and its deletion come one after the other. */
export function lockWatch(tx: Tx, id: string): Promise<Watch | undefined> {
  return tx.row<Watch>(`select ${WATCH} where a.id = $1 for update of a`, [id]);
}

/** Watches of a workspace, oldest first. @param page `after`: creation time and id of the last one that is known */
export function watchesOf(
  tx: Tx,
  of: { workspaceId: string; kinds: readonly WatchKind[]; active: boolean | null },
  page: { after: readonly (string | number | null)[] | null; limit: number },
): Promise<Watch[]> {
  return tx.rows<Watch>(
    `select ${WATCH}
     where a.workspace_id = $1
       and a.kind = any ($2)
       and ($3::boolean is null or (s.enabled and a.pause_reason = '') = $3)
       and ($4::bigint is null or (a.created_at, a.id) > ($4, $5::uuid))
     order by a.created_at, a.id limit $6`,
    [of.workspaceId, of.kinds, of.active, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
  );
}

/** How many watches a workspace has; another transaction that makes some waits for the end of this one. */
export async function lockWatchesOf(tx: Tx, workspaceId: string): Promise<number> {
  await tx.exec(`select pg_advisory_xact_lock(hashtextextended('watches of ' || $1, 0))`, [workspaceId]);
  const row = await tx.row<{ count: number }>('select count(*)::int as count from watch where workspace_id = $1', [
    workspaceId,
  ]);
  return row?.count ?? 0;
}

/** Makes the watch of a schedule that is there. @param watch `now`: epoch ms, product time */
export async function insertWatch(
  tx: Tx,
  watch: WatchSettings & { id: string; workspaceId: string; now: number },
): Promise<void> {
  await tx.exec(
    `insert into watch (id, workspace_id, kind, cadence, profile_url, domain, finding_kinds, query, search_url,
       lead_list_id, monthly_credit_limit, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`,
    [
      watch.id,
      watch.workspaceId,
      watch.kind,
      watch.cadence,
      watch.profileUrl,
      watch.domain,
      watch.findingKinds,
      watch.query,
      watch.searchUrl,
      watch.leadListId,
      watch.monthlyCreditLimit,
      watch.now,
    ],
  );
}

/** Deletes a watch with all that it saw and found; leads that it found stay. */
export async function deleteWatch(tx: Tx, id: string): Promise<void> {
  await tx.exec('delete from watch where id = $1', [id]);
}

/** A person switched it on or off: why it paused itself is over. */
export async function noteSwitch(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec(`update watch set paused_until = null, pause_reason = '', faults = 0, updated_at = $2 where id = $1`, [
    id,
    now,
  ]);
}

/** It pauses itself, and tells so (watch.paused). @param pause `until` null: until somebody resumes it */
export async function pauseItself(
  tx: Tx,
  watch: Watch,
  pause: { until: number | null; reason: string; now: number },
): Promise<void> {
  await tx.exec('update watch set paused_until = $2, pause_reason = $3, updated_at = $4 where id = $1', [
    watch.id,
    pause.until,
    pause.reason,
    pause.now,
  ]);
  await tx.exec(
    `insert into run_event (workspace_id, at, kind, actor, data) values ($1, $2, 'watch.paused', 'system', $3)`,
    [watch.workspaceId, pause.now, JSON.stringify({ watchId: watch.id, reason: pause.reason })],
  );
}

/** Its check failed. @returns how many in a row by now */
export async function noteFault(tx: Tx, id: string, now: number): Promise<number> {
  const row = await tx.row<{ faults: number }>(
    'update watch set faults = faults + 1, last_checked_at = $2, updated_at = $2 where id = $1 returning faults',
    [id, now],
  );
  return row?.faults ?? 0;
}
