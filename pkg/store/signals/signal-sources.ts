import type { SiteState } from '../../domain/watches/site-change.ts';
import type { Tx } from '../../postgres/database.ts';

/** Sources of an agent at most: one run looks at all of them. */
export const MOST_SOURCES = 10;

/** What people say of a source. */
export interface GivenSource {
  kind: 'feed' | 'site';
  /** https, in the one form in which it is compared. */
  url: string;
  /** The company whose own it is, which "we" means; null: it tells of those that it names. */
  companyId: string | null;
}

/** What is known of a page: as of a watched site, with hashes of the lines that it said when its text was last taken as such. */
export interface SourceState {
  site?: SiteState;
  lines?: readonly string[];
}

/** A source of an agent. Times epoch ms, product time. */
export interface SignalSource extends GivenSource {
  id: string;
  agentId: string;
  workspaceId: string;
  state: SourceState;
  faults: number;
  fault: string;
  /** 0: nobody looked yet. */
  lookedAt: number;
  /** Null: it could never be read. */
  readAt: number | null;
}

const SOURCE = `s.id, s.agent_id as "agentId", s.workspace_id as "workspaceId", s.kind, s.url,
  s.company_id as "companyId", s.state, s.faults, s.fault, s.looked_at as "lookedAt", s.read_at as "readAt"`;

/** Product ms after which a source is looked at again, and where it failed some times in a row. */
const AGAIN_MS = 3_600_000;
const FAILING_AGAIN_MS = 20 * 3_600_000;
const FAILING = 3;
/** Product ms after which an item that a feed does not show any more is forgotten, and how many one look forgets. */
const SEEN_MS = 180 * 86_400_000;
const DROPPED = 2_000;

/** Sources of agents, in the order in which they were given. */
export function sourcesOf(tx: Tx, agentIds: readonly string[]): Promise<SignalSource[]> {
  return tx.rows<SignalSource>(
    `select ${SOURCE} from signal_source s where s.agent_id = any ($1::uuid[]) order by s.created_at, s.id`,
    [agentIds],
  );
}

/**
 * Gives an agent these sources and no others; of those that stay what is known stays.
 * @param agent `now`: epoch ms, product time
 */
export async function setSources(
  tx: Tx,
  agent: { id: string; workspaceId: string; now: number },
  sources: readonly (GivenSource & { id: string })[],
): Promise<void> {
  const given = JSON.stringify(sources);
  await tx.exec(
    `delete from signal_source s
     where s.agent_id = $1
       and not exists (
         select 1
         from jsonb_to_recordset($2::jsonb) as x (kind text, url text)
         where x.kind = s.kind and x.url = s.url
       )`,
    [agent.id, given],
  );
  await tx.exec(
    `insert into signal_source as s (id, agent_id, workspace_id, kind, url, company_id, created_at)
     select
       (x.one ->> 'id')::uuid,
       $1,
       $2,
       x.one ->> 'kind',
       x.one ->> 'url',
       (x.one ->> 'companyId')::uuid,
       $3 + x.place
     from jsonb_array_elements($4::jsonb) with ordinality x (one, place)
     on conflict (agent_id, url) do update set company_id = excluded.company_id, created_at = excluded.created_at`,
    [agent.id, agent.workspaceId, agent.now, given],
  );
}

/** The next source of an agent whose time has come; undefined: there is none. @param now epoch ms, product time */
export function dueSource(tx: Tx, agentId: string, now: number): Promise<SignalSource | undefined> {
  return tx.row<SignalSource>(
    `select ${SOURCE}
     from signal_source s
     where s.agent_id = $1
       and s.looked_at <= $2::bigint - case when s.faults >= ${FAILING} then ${FAILING_AGAIN_MS} else ${AGAIN_MS} end
     order by s.looked_at, s.created_at, s.id limit 1`,
    [agentId, now],
  );
}

/** A source, locked; undefined: nobody looks at it any more. */
export function lockSource(tx: Tx, id: string): Promise<SignalSource | undefined> {
  return tx.row<SignalSource>(`select ${SOURCE} from signal_source s where s.id = $1 for update`, [id]);
}

/** Which of these a feed has shown. */
export async function shownBefore(tx: Tx, sourceId: string, items: readonly string[]): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set();
  const rows = await tx.rows<{ item: string }>(
    'select item from signal_source_item where source_id = $1 and item = any ($2)',
    [sourceId, items],
  );
  return new Set(rows.map((row) => row.item));
}

/** Remembers what a source showed, with which the next look compares. @param look `now`: epoch ms, product time */
export async function noteRead(
  tx: Tx,
  source: SignalSource,
  look: { state: SourceState; items: readonly string[]; now: number },
): Promise<void> {
  await tx.exec(
    `update signal_source set state = $2, faults = 0, fault = '', looked_at = $3, read_at = $3 where id = $1`,
    [source.id, JSON.stringify(look.state), look.now],
  );
  await tx.exec(
    `insert into signal_source_item as s (source_id, item, workspace_id, last_seen_at)
     select $1, k, $2, $3
     from unnest($4::text[]) k
     order by k
     on conflict (source_id, item) do update set last_seen_at = excluded.last_seen_at`,
    [source.id, source.workspaceId, look.now, [...new Set(look.items)]],
  );
  await tx.exec(
    `delete from signal_source_item
     where (source_id, item) in (
       select s.source_id, s.item
       from signal_source_item s
       where s.source_id = $1 and s.last_seen_at < $2
       limit ${DROPPED}
     )`,
    [source.id, look.now - SEEN_MS],
  );
}

/** A look gave nothing: what is known stays. @param now epoch ms, product time */
export async function noteSourceFault(tx: Tx, sourceId: string, why: string, now: number): Promise<void> {
  await tx.exec('update signal_source set faults = faults + 1, fault = left($2, 300), looked_at = $3 where id = $1', [
    sourceId,
    why,
    now,
  ]);
}
