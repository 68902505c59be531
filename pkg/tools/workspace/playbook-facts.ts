import type { PlaybookFacts } from '../../domain/playbook-writer.ts';
import type { Tx } from '../../postgres/database.ts';

/** Campaigns and personas that are told at most. */
const MOST = 20;

/** What is on record for a playbook: name, website, live campaigns, their audience and personas. */
export async function playbookFacts(
  tx: Tx,
  workspaceId: string,
  asked: { website?: string | undefined; instructions?: string | undefined },
): Promise<PlaybookFacts> {
  const workspace = await tx.row<{ name: string; website: string | null }>(
    `select name, settings ->> 'website' as website from workspace where id = $1`,
    [workspaceId],
  );
  const campaigns = await tx.rows<PlaybookFacts['campaigns'][number]>(
    `select title, goal, description from campaign
     where workspace_id = $1 and deleted_at is null and state <> 'archived' order by created_at, id limit ${MOST}`,
    [workspaceId],
  );
  const audience = await tx.row<{ titles: string[]; industries: string[]; sizes: string[] }>(
    `with icps as (select titles, industries, company_sizes from icp where workspace_id = $1 and deleted_at is null)
     select array(select distinct unnest(titles) from icps order by 1 limit ${MOST}) as titles,
       array(select distinct unnest(industries) from icps order by 1 limit ${MOST}) as industries,
       array(select distinct unnest(company_sizes) from icps order by 1 limit ${MOST}) as sizes`,
    [workspaceId],
  );
  const personas = await tx.rows<PlaybookFacts['personas'][number]>(
    `select p.name, p.description, p.pain_points as "painPoints", p.goals, p.objections from persona p
     join campaign c on c.id = p.campaign_id and c.deleted_at is null
     where p.workspace_id = $1 order by p.created_at, p.id limit ${MOST}`,
    [workspaceId],
  );
  return {
    workspaceName: workspace?.name ?? workspaceId,
    website: asked.website ?? workspace?.website ?? '',
    instructions: asked.instructions ?? '',
    campaigns,
    audience: {
      titles: audience?.titles ?? [],
      industries: audience?.industries ?? [],
      companySizes: audience?.sizes ?? [],
    },
    personas,
  };
}
