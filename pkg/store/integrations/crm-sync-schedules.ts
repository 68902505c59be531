import type { Timing } from '../../domain/schedule/timing.ts';
import type { Tx } from '../../postgres/database.ts';
import { insertSchedule, nextOf } from '../schedules/schedules.ts';

/** Product ms between two comparisons of a CRM whose lists are kept in sync. */
const EVERY_MS = 3_600_000;
const KIND = 'sync_crm';

/** Has a CRM compared every hour; one that is already stays as it is. @param sync `now`: epoch ms UTC, product time */
export async function keepSyncSchedule(
  tx: Tx,
  sync: { id: string; workspaceId: string; integrationId: string; now: number },
): Promise<void> {
  const { id, workspaceId, integrationId, now } = sync;
  // Two imports at once make one schedule.
  await tx.exec('select 1 from integration where id = $1 for no key update', [integrationId]);
  const there = await tx.row(
    `select 1
     from schedule
     where workspace_id = $1
       and kind = $2
       and campaign_id is null
       and settings ->> 'integrationId' = $3
       and deleted_at is null`,
    [workspaceId, KIND, integrationId],
  );
  if (there) return;
  const timing: Timing = { kind: 'cadence', everyMs: EVERY_MS, from: now };
  await insertSchedule(tx, {
    id,
    workspaceId,
    kind: KIND,
    campaignId: null,
    name: 'Lists of a CRM that are kept in sync',
    settings: { integrationId },
    timing,
    enabled: true,
    ...nextOf(timing, id, now),
    createdAt: now,
  });
}

/** Ends the comparisons of a CRM. @param now epoch ms UTC, product time */
export async function endSyncSchedules(
  tx: Tx,
  { workspaceId, integrationId }: { workspaceId: string; integrationId: string },
  now: number,
): Promise<void> {
  await tx.exec(
    `update schedule
     set deleted_at = $3, enabled = false, next_for = null, next_at = null
     where workspace_id = $1
       and kind = '${KIND}'
       and campaign_id is null
       and settings ->> 'integrationId' = $2
       and deleted_at is null`,
    [workspaceId, integrationId, now],
  );
}
