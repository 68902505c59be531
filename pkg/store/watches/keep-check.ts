import type { WatchState } from '../../domain/watches/watch-state.ts';
import type { Tx } from '../../postgres/database.ts';
import type { Watch } from './watches.ts';

/** What a check found. Times epoch ms. */
export interface NewFinding {
  id: string;
  kind: 'post' | 'engager' | 'hire' | 'site_change' | 'headcount' | 'person';
  /** What it is the finding of: a hash. */
  item: string;
  /** By which the network is asked for a post; else ''. */
  ref: string;
  leadId: string | null;
  at: number;
  title: string;
  url: string;
  how: readonly string[];
  terms: readonly string[];
  /** Hash of who wrote it; '': nobody is known. */
  author: string;
}

/** What was seen in a list, by its stream. */
export interface SeenItems {
  stream: string;
  keys: readonly string[];
}

/** Product ms after which what was not seen again is forgotten: who comes back to a search after that is new. */
const SEEN_MS = 90 * 86_400_000;
/** Product ms for which findings are kept, and how many of a watch. */
const KEPT_MS = 365 * 86_400_000;
const MOST_KEPT = 20_000;
/** Rows that one check drops. */
const DROPPED = 2_000;

/** Which of these a watch has seen. */
export async function seenAmong(
  tx: Tx,
  watchId: string,
  stream: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await tx.rows<{ item: string }>(
    'select item from watch_seen where watch_id = $1 and stream = $2 and item = any ($3)',
    [watchId, stream, keys],
  );
  return new Set(rows.map((row) => row.item));
}

/** Posts that a watch found and whose engagers are still of interest, newest first: by their hash. @param since epoch ms */
export function recentPosts(
  tx: Tx,
  watchId: string,
  since: number,
  limit: number,
): Promise<{ ref: string; title: string; url: string }[]> {
  return tx.rows(
    `select ref, title, url
     from watch_finding
     where watch_id = $1 and kind = 'post' and at >= $2
     order by at desc, id desc limit $3`,
    [watchId, since, limit],
  );
}

/** Remembers what was seen and keeps what is new. @returns ids of findings that were not there */
export async function keepFound(
  tx: Tx,
  watch: Watch,
  { seen, findings, now }: { seen: readonly SeenItems[]; findings: readonly NewFinding[]; now: number },
): Promise<ReadonlySet<string>> {
  for (const { stream, keys } of seen) {
    if (keys.length === 0) continue;
    await tx.exec(
      `insert into watch_seen as s (watch_id, stream, item, workspace_id, last_seen_at)
       select $1, $2, k, $3, $4
       from unnest($5::text[]) k
       order by k
       on conflict (watch_id, stream, item) do update set
         last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at)`,
      [watch.id, stream, watch.workspaceId, now, [...new Set(keys)]],
    );
  }
  if (findings.length === 0) return new Set();
  const once = [...new Map(findings.map((one) => [`${one.kind} ${one.item}`, one])).values()];
  const rows = await tx.rows<{ id: string; made: boolean }>(
    `insert into watch_finding as f (id, watch_id, workspace_id, kind, item, ref, lead_id, at, found_at, title, url,
       how, terms, author)
     select x.id, $1, $2, x.kind, x.item, x.ref, x."leadId", x.at, $3, x.title, x.url,
       array(select jsonb_array_elements_text(x.how)), array(select jsonb_array_elements_text(x.terms)), x.author
     from jsonb_to_recordset($4::jsonb) as x (id uuid, kind text, item text, ref text, "leadId" uuid, at bigint,
       title text, url text, how jsonb, terms jsonb, author text)
     order by x.kind, x.item
     on conflict (watch_id, kind, item) do update set
       how = array(select distinct h from unnest(f.how || excluded.how) h order by h)
       where not f.how @> excluded.how
     returning f.id, f.xmax = 0 as made`,
    [watch.id, watch.workspaceId, now, JSON.stringify(once)],
  );
  return new Set(rows.filter((row) => row.made).map((row) => row.id));
}

/** Ends a check: what the next compares with, and what it found is told (watch.found). @param found how many findings are new */
export async function endCheck(
  tx: Tx,
  watch: Watch,
  check: { state: WatchState; found: number; now: number },
): Promise<void> {
  const { state, found, now } = check;
  await tx.exec(
    `update watch
     set state = $2, faults = 0, paused_until = null, pause_reason = '', last_checked_at = $3, updated_at = $3
     where id = $1`,
    [watch.id, JSON.stringify(state), now],
  );
  await forget(tx, watch.id, now);
  if (found === 0) return;
  await tx.exec(
    `insert into run_event (workspace_id, at, kind, actor, data) values ($1, $2, 'watch.found', 'system', $3)`,
    [watch.workspaceId, now, JSON.stringify({ watchId: watch.id, found })],
  );
}

async function forget(tx: Tx, watchId: string, now: number): Promise<void> {
  await tx.exec(
    `delete from watch_seen
     where (watch_id, stream, item) in (
       select s.watch_id, s.stream, s.item
       from watch_seen s
       where s.watch_id = $1 and s.last_seen_at < $2
       limit ${DROPPED}
     )`,
    [watchId, now - SEEN_MS],
  );
  await tx.exec(
    `delete from watch_finding
     where id in (
       select f.id from watch_finding f where f.watch_id = $1 and f.found_at < $2
       union
       (select f.id
        from watch_finding f
        where f.watch_id = $1
        order by f.at desc, f.id desc
        offset ${MOST_KEPT} limit ${DROPPED})
     )`,
    [watchId, now - KEPT_MS],
  );
}
