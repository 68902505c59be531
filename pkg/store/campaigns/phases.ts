import type { Tx } from '../../postgres/database.ts';

/** What is said of a phase. */
export interface PhaseText {
  name: string;
  description: string;
  objectives: readonly string[];
  phaseType: string;
}

/** A phase in its place among those of its campaign, which are counted from 0 without a gap. */
interface PhasePlace {
  id: string;
  campaignId: string;
  position: number;
}

/**
 * Adds a phase; those at its place and behind it make room. The caller holds the campaign's plan (lockPlan).
 * @param phase `position`: wanted place, behind all others where there are fewer; `now`: epoch ms UTC, product time
 */
export async function insertPhase(
  tx: Tx,
  phase: PhasePlace & { workspaceId: string; text: PhaseText; now: number },
): Promise<void> {
  const { campaignId, now } = phase;
  const { name, description, objectives, phaseType } = phase.text;
  const position = Math.min(phase.position, await countPhases(tx, campaignId));
  await tx.exec('update phase set position = position + 1, updated_at = $3 where campaign_id = $1 and position >= $2', [
    campaignId,
    position,
    now,
  ]);
  await tx.exec(
    `insert into phase (
       id, workspace_id, campaign_id, name, description, objectives, phase_type, position, created_at, updated_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [phase.id, phase.workspaceId, campaignId, name, description, objectives, phaseType, position, now],
  );
}

/** Replaces the fields that are not null and puts the phase at `position`. @param now epoch ms UTC, product time */
export async function changePhase(
  tx: Tx,
  {
    id,
    position,
    text,
    now,
  }: {
    id: string;
    position: number;
    text: { [field in keyof PhaseText]: PhaseText[field] | null };
    now: number;
  },
): Promise<void> {
  await tx.exec(
    `update phase
     set
       name = coalesce($2, name),
       description = coalesce($3, description),
       objectives = coalesce($4, objectives),
       phase_type = coalesce($5, phase_type),
       position = $6,
       updated_at = $7
     where id = $1`,
    [id, text.name, text.description, text.objectives, text.phaseType, position, now],
  );
}

/**
 * Makes room for a phase at the wanted place and closes the gap at its old one; changePhase then puts it there.
 * @returns the place, at most the last
 */
export async function makeRoomFor(tx: Tx, phase: PhasePlace, wanted: number, now: number): Promise<number> {
  const order = Math.min(wanted, (await countPhases(tx, phase.campaignId)) - 1);
  if (order === phase.position) return order;
  await tx.exec(
    order < phase.position
      ? `update phase
         set position = position + 1, updated_at = $4
         where campaign_id = $1 and position >= $2 and position < $3`
      : `update phase
         set position = position - 1, updated_at = $4
         where campaign_id = $1 and position > $3 and position <= $2`,
    [phase.campaignId, order, phase.position, now],
  );
  return order;
}

/** Deletes a phase; those behind it move up. @param now epoch ms UTC, product time */
export async function deletePhaseRow(tx: Tx, phase: PhasePlace, now: number): Promise<void> {
  await tx.exec('delete from phase where id = $1', [phase.id]);
  await tx.exec('update phase set position = position - 1, updated_at = $3 where campaign_id = $1 and position > $2', [
    phase.campaignId,
    phase.position,
    now,
  ]);
}

async function countPhases(tx: Tx, campaignId: string): Promise<number> {
  const row = await tx.row<{ count: number }>('select count(*)::int as count from phase where campaign_id = $1', [
    campaignId,
  ]);
  return row?.count ?? 0;
}
