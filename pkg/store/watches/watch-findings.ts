import type { Tx } from '../../postgres/database.ts';

/** Leads that nobody may be offered: suppressed, or excluded for signals. @param now epoch ms, product time */
export async function excludedLeads(
  tx: Tx,
  workspaceId: string,
  leadIds: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  if (leadIds.length === 0) return new Set();
  const rows = await tx.rows<{ id: string }>(
    'select distinct lead_id as id from app.excluded_for_signals($1, null, null, $2::uuid[], $3)',
    [workspaceId, [...new Set(leadIds)], now],
  );
  return new Set(rows.map((row) => row.id));
}

/** A finding with whom it is about. Times epoch ms, product time. */
export interface Finding {
  id: string;
  watchId: string;
  kind: string;
  at: number;
  title: string;
  url: string;
  how: string[];
  leadId: string | null;
  /** Of the lead; '': it is about nobody. */
  name: string;
  jobTitle: string;
  profileUrl: string;
}

const FINDING = `f.id, f.watch_id as "watchId", f.kind, f.at, f.title, f.url, f.how, l.id as "leadId",
  coalesce(l.full_name, '') as name, coalesce(nullif(l.title, ''), l.headline, '') as "jobTitle",
  coalesce(l.profile_url, '') as "profileUrl"
  from watch_finding f
  left join lead l on l.id = f.lead_id and l.erased_at is null`;

/** Findings of a watch, newest first. @param page `after`: time and id of the last one that is known */
export function findingsOf(
  tx: Tx,
  of: { watchId: string; kinds: readonly string[]; since: number | null },
  page: { after: readonly (string | number | null)[] | null; limit: number },
): Promise<Finding[]> {
  return tx.rows<Finding>(
    `select ${FINDING}
     where f.watch_id = $1
       and f.kind = any ($2)
       and ($3::bigint is null or f.at >= $3)
       and ($4::bigint is null or (f.at, f.id) < ($4, $5::uuid))
     order by f.at desc, f.id desc limit $6`,
    [of.watchId, of.kinds, of.since, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
  );
}

/** The newest findings of each watch. */
export function newestFindings(tx: Tx, watchIds: readonly string[], each: number): Promise<Finding[]> {
  if (watchIds.length === 0 || each === 0) return Promise.resolve([]);
  return tx.rows<Finding>(
    `select x.*
     from unnest($1::uuid[]) w (id)
     cross join lateral (
       select ${FINDING} where f.watch_id = w.id order by f.at desc, f.id desc limit $2
     ) x`,
    [watchIds, each],
  );
}

/** How many findings the last check of each watch brought, of the kinds that it is asked for. */
export async function newFindings(tx: Tx, watchIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.rows<{ id: string; count: number }>(
    `select w.id, x.count
     from watch w
     cross join lateral (
       select count(*)::int as count
       from watch_finding f
       where f.watch_id = w.id and f.found_at >= w.last_checked_at and f.kind = any (w.finding_kinds)
     ) x
     where w.id = any ($1::uuid[])`,
    [watchIds],
  );
  return new Map(rows.map((row) => [row.id, row.count]));
}
