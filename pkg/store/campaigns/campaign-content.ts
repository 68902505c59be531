import type { Tx } from '../../postgres/database.ts';

/** Rows of `icp`, `persona` and `phase` whose ids are those of the copy already. */
interface Parts {
  icps: readonly { id: string }[];
  personas: readonly { id: string }[];
  phases: readonly { id: string }[];
}

/** Writes ICPs (unscored), personas and phases of a copy. @param into `now`: epoch ms UTC, product time */
export async function insertContent(
  tx: Tx,
  { icps, personas, phases }: Parts,
  into: { workspaceId: string; campaignId: string; now: number },
): Promise<void> {
  const of = [into.workspaceId, into.campaignId, into.now];
  await tx.exec(
    `insert into icp (
       id, workspace_id, campaign_id, titles, industries, seniorities, company_sizes, keywords, created_at
     )
     select n.id, $1, $2, n.titles, n.industries, n.seniorities, n.company_sizes, n.keywords, $3
     from jsonb_populate_recordset(null::icp, $4::jsonb) n`,
    [...of, JSON.stringify(icps)],
  );
  await tx.exec(
    `insert into persona (
       id, workspace_id, campaign_id, name, description, pain_points, goals, objections, created_at, updated_at
     )
     select n.id, $1, $2, n.name, n.description, n.pain_points, n.goals, n.objections, $3, $3
     from jsonb_populate_recordset(null::persona, $4::jsonb) n`,
    [...of, JSON.stringify(personas)],
  );
  await tx.exec(
    `insert into phase (
       id, workspace_id, campaign_id, name, description, objectives, phase_type, position, created_at, updated_at
     )
     select n.id, $1, $2, n.name, n.description, n.objectives, n.phase_type, n.position, $3, $3
     from jsonb_populate_recordset(null::phase, $4::jsonb) n`,
    [...of, JSON.stringify(phases)],
  );
}

/**
 * What was written for the campaign alone goes with it. Leads stay attached to it by `campaign_lead`, so that they
 * don't flow into the workspace's other campaigns by themselves; its lists stay and can be attached elsewhere. Scores go
 * with the tombstone, part by part. @param now epoch ms UTC, product time
 */
export async function deleteContent(tx: Tx, campaignId: string, now: number): Promise<void> {
  await tx.exec('update icp set deleted_at = $2 where campaign_id = $1 and deleted_at is null', [campaignId, now]);
  await tx.exec('delete from persona where campaign_id = $1', [campaignId]);
  await tx.exec('delete from phase where campaign_id = $1', [campaignId]);
}
