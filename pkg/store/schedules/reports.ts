import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';

/** Title of a campaign of the executor's workspace; null: it is gone. */
export async function titleOf(tx: Tx, campaignId: string): Promise<string | null> {
  const row = await tx.row<{ title: string }>('select title from campaign where id = $1 and deleted_at is null', [
    campaignId,
  ]);
  return row?.title ?? null;
}

/** Writes the event of a report. @param report `at`: epoch ms, product time */
export async function insertReport(
  tx: Tx,
  report: { workspaceId: string; at: number; text: string; data: JsonObject },
): Promise<void> {
  await tx.exec(
    `insert into run_event (workspace_id, at, kind, actor, text, data)
     values ($1, $2, 'report.ready', 'system', $3, $4)`,
    [report.workspaceId, report.at, report.text, JSON.stringify(report.data)],
  );
}
