import type { IcpCriteria, ScoreReason } from '../../domain/icp-score.ts';
import type { SignalReason } from '../../domain/signal-score.ts';
import type { Tx } from '../../postgres/database.ts';

/** An ideal customer profile as scoring needs it. */
export interface IcpRow extends IcpCriteria {
  id: string;
  campaignId: string;
}

/** ICPs of these campaigns. */
export async function readIcps(tx: Tx, workspaceId: string, campaignIds: readonly string[]): Promise<IcpRow[]> {
  return tx.named<IcpRow>(
    'read_icps',
    `select id, campaign_id as "campaignId", titles, industries, seniorities, company_sizes as "companySizes", keywords
     from icp where workspace_id = $1 and campaign_id = any ($2::text[]) and deleted_at is null order by id`,
    [workspaceId, campaignIds],
  );
}

/** A lead's score under one ICP. */
export interface ScoreWrite {
  campaignId: string;
  icpId: string;
  leadId: string;
  icp: number;
  signals: number;
  reasons: readonly (ScoreReason | SignalReason)[];
}

/**
 * Stores scores, replacing those of the same lead and ICP; one row per pair. One statement per ICP, in one order: a
 * statement that inserted one score of a lead and updated another would be counted wrong (app.keep_pool).
 */
export async function applyScores(
  tx: Tx,
  workspaceId: string,
  now: number,
  writes: readonly ScoreWrite[],
): Promise<void> {
  const byPair = new Map(writes.map((write) => [`${write.icpId}/${write.leadId}`, write]));
  const byIcp = Map.groupBy(byPair.values(), (write) => `${write.campaignId}/${write.icpId}`);
  for (const [, rows] of [...byIcp].sort(([a], [b]) => (a < b ? -1 : 1)))
    await applyScoresOfIcp(tx, workspaceId, now, rows);
}

async function applyScoresOfIcp(tx: Tx, workspaceId: string, now: number, rows: readonly ScoreWrite[]): Promise<void> {
  await tx.exec(
    `insert into lead_score (
       workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, reasons, computed_at
     )
     select
       $1, u.campaign, u.icp, u.lead, u.score, u.signals, u.score + u.signals, u.reasons::jsonb, $2
     from unnest(
       $3::text[], $4::uuid[], $5::uuid[], $6::real[], $7::real[], $8::text[]
     ) as u (campaign, icp, lead, score, signals, reasons)
     order by u.icp, u.lead
     on conflict (icp_id, lead_id) do update set
       icp_score = excluded.icp_score,
       signal_score = excluded.signal_score,
       total = excluded.total,
       reasons = excluded.reasons,
       computed_at = excluded.computed_at`,
    [
      workspaceId,
      now,
      rows.map((row) => row.campaignId),
      rows.map((row) => row.icpId),
      rows.map((row) => row.leadId),
      rows.map((row) => row.icp),
      rows.map((row) => row.signals),
      rows.map((row) => JSON.stringify(row.reasons)),
    ],
  );
}
