import type { Tx } from '../../postgres/database.ts';

/** Somebody whom a watch of a competitor saw react to a post of it, or comment on it. Times epoch ms, product time. */
export interface FoundEngager {
  leadId: string;
  /** The post, by which the network is asked for it; one that was found before that was kept: the finding. */
  postId: string;
  title: string;
  url: string;
  foundAt: number;
}

/**
 * Who engaged with posts of the competitors that a workspace watches, those found last in front, without who is excluded by now.
 * @param since epoch ms, product time
 */
export function engagersFound(
  tx: Tx,
  workspaceId: string,
  { since, now, limit }: { since: number; now: number; limit: number },
): Promise<FoundEngager[]> {
  return tx.rows<FoundEngager>(
    `with found as materialized (
       select f.lead_id, coalesce(nullif(f.ref, ''), f.item) as post, f.title, f.url, f.found_at, f.id
       from watch w
       join schedule s on s.id = w.id and s.deleted_at is null
       cross join lateral (
         select x.*
         from watch_finding x
         where x.watch_id = w.id and x.found_at >= $2 and x.kind = 'engager' and x.lead_id is not null
         order by x.found_at desc, x.id desc limit $3
       ) f
       where w.workspace_id = $1 and w.kind = 'competitor'
       order by f.found_at desc, f.id desc limit $3
     )
     select f.lead_id as "leadId", f.post as "postId", f.title, f.url, f.found_at as "foundAt"
     from found f
     join lead l on l.id = f.lead_id and l.erased_at is null
     where not exists (
       select 1
       from app.excluded_for_signals($1, null, null, (select array_agg(distinct y.lead_id) from found y), $4) x
       where x.lead_id = f.lead_id
     )
     order by f.found_at desc, f.id desc`,
    [workspaceId, since, limit, now],
  );
}
