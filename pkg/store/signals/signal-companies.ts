import type { Tx } from '../../postgres/database.ts';

/** Product ms after which the page of a company is looked at again: teams grow slowly, and looks are scarce. */
const AGAIN_MS = 7 * 86_400_000;

/** A company that the workspace knows somebody of. */
export interface KnownCompany {
  companyId: string;
  name: string;
  /** Its one form (pkg/domain/person-identity.ts). */
  companyKey: string;
  /** It is the workspace's own record, and not one of the pool. */
  own: boolean;
}

/** Companies that are the workspace's own, or of which it has a lead or works on one of the pool. */
const KNOWN = `(
    c.workspace_id = $1
    or c.workspace_id is null
      and (
        exists (select 1 from lead l where l.company_id = c.id and l.workspace_id = $1 and l.erased_at is null)
        or exists (
          select 1
          from lead l
          join campaign_lead m on m.lead_id = l.id and m.workspace_id = $1
          where l.company_id = c.id and l.workspace_id is null and l.erased_at is null
        )
      )
  )`;

/** Companies with one of these names, and the one of this id. */
export function companiesCalled(
  tx: Tx,
  workspaceId: string,
  of: { keys: readonly string[]; companyId: string | null },
): Promise<KnownCompany[]> {
  return tx.rows<KnownCompany>(
    `select c.id as "companyId", c.name, c.company_key as "companyKey", c.workspace_id is not null as own
     from (
       select x.* from company x where x.company_key = any ($2) and x.company_key <> ''
       union all
       select x.* from company x where x.id = $3 and not (x.company_key <> '' and x.company_key = any ($2))
     ) c
     where ${KNOWN}
     order by c.workspace_id nulls last, c.id limit 1000`,
    [workspaceId, of.keys, of.companyId],
  );
}

/** A company whose page on the network is to be looked at. Times epoch ms. */
export interface WatchedCompany {
  companyId: string;
  name: string;
  profileUrl: string;
  /** What the page showed at the last look; null: nobody looked, or it showed none. */
  headcount: number | null;
}

/**
 * Companies of the leads of a campaign, else of the workspace, with a page on the network that nobody looked at for a week: those that waited
 * longest first. @param now epoch ms, product time
 */
export async function dueCompanies(
  tx: Tx,
  of: { workspaceId: string; campaignId: string | null },
  now: number,
  limit: number,
): Promise<string[]> {
  const members =
    of.campaignId === null
      ? 'select l.company_id from lead l where l.workspace_id = $1 and $2::text is null and l.erased_at is null'
      : `select l.company_id
         from campaign_lead m
         join lead l on l.id = m.lead_id and l.erased_at is null
         where m.campaign_id = $2`;
  const rows = await tx.rows<{ id: string }>(
    `select c.id
     from (select distinct x.company_id from (${members}) x where x.company_id is not null) m
     join company c on c.id = m.company_id and c.profile_url <> ''
     left join signal_company_watch w on w.workspace_id = $1 and w.company_id = c.id
     where coalesce(w.looked_at, 0) <= $3
     order by w.looked_at nulls first, c.id limit $4`,
    [of.workspaceId, of.campaignId, now - AGAIN_MS, limit],
  );
  return rows.map((row) => row.id);
}

/** These companies as they are watched now, in this order. */
export function watchedCompanies(
  tx: Tx,
  workspaceId: string,
  companyIds: readonly string[],
): Promise<WatchedCompany[]> {
  return tx.rows<WatchedCompany>(
    `select
       c.id as "companyId", c.name, c.profile_url as "profileUrl", w.headcount
     from unnest($2::uuid[]) with ordinality k (id, place)
     join company c on c.id = k.id
     left join signal_company_watch w on w.workspace_id = $1 and w.company_id = c.id
     order by k.place`,
    [workspaceId, companyIds],
  );
}

/** Notes what the page of a company showed; a page without a number leaves the last one. @param now epoch ms, product time */
export async function noteHeadcount(
  tx: Tx,
  workspaceId: string,
  look: { companyId: string; headcount: number | null; now: number },
): Promise<void> {
  await tx.exec(
    `insert into signal_company_watch as w (workspace_id, company_id, looked_at, headcount)
     values ($1, $2, $3, $4)
     on conflict (workspace_id, company_id) do update set
       looked_at = excluded.looked_at,
       headcount = coalesce(excluded.headcount, w.headcount)`,
    [workspaceId, look.companyId, look.now, look.headcount],
  );
}
