import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { tryLock } from '../../postgres/taken-lock.ts';
import type { CompactForm } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';

/** Source: specification, Phase. */
export const PHASE_TYPES = ['sourcing', 'outreach', 'content', 'intelligence', 'refinement'] as const;

/** Catalog record Phase. */
export const phase = z.object({
  phaseId: z.string(),
  campaignId: z.string(),
  name: z.string(),
  description: z.string(),
  objectives: z.array(z.string()),
  phaseType: z.string(),
  order: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A phase of a list: as much of it as the caller asked for. */
export const listedPhase = phase.partial().required({ phaseId: true });

/** Which phase it is; all of it is in the single one. */
export const PHASE_FORM: CompactForm = {
  id: 'phaseId',
  known: Object.keys(phase.shape),
  kept: ['campaignId', 'name', 'phaseType', 'order', 'description'],
};

/** A row of `phase`. */
export interface PhaseRow {
  id: string;
  workspace_id: string;
  campaign_id: string;
  name: string;
  description: string;
  objectives: string[];
  phase_type: string;
  position: number;
  created_at: number;
  updated_at: number;
}

/** The record of a row. */
export function phaseOf(row: PhaseRow): z.input<typeof phase> {
  return {
    phaseId: row.id,
    campaignId: row.campaign_id,
    name: row.name,
    description: row.description,
    objectives: row.objectives,
    phaseType: row.phase_type,
    order: row.position,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** Reads a phase of a live campaign under the caller's rights. @throws UserError not found */
export async function requirePhase(tx: Tx, phaseId: string): Promise<PhaseRow> {
  const row = isUuid(phaseId)
    ? await tx.row<PhaseRow>(
        'select p.* from phase p join campaign c on c.id = p.campaign_id and c.deleted_at is null where p.id = $1',
        [phaseId],
      )
    : undefined;
  if (!row) throw notFound('phase', phaseId);
  return row;
}

/** As `requirePhase`, as the only writer of its campaign's plan until the transaction ends. */
export async function lockPhase(tx: Tx, phaseId: string): Promise<PhaseRow> {
  await lockPlan(tx, (await requirePhase(tx, phaseId)).campaign_id);
  return requirePhase(tx, phaseId);
}

/** What the caller is told while another call changes the plan all the time. */
const PLAN_CHANGES =
  'Another call changes the phases of this campaign at this moment; nothing was done. Call svc_list_phases, and repeat this call in a few seconds.';

/** One writer of a plan at a time, so that positions stay a row without gaps. */
export async function lockPlan(tx: Tx, campaignId: string): Promise<void> {
  await tryLock(tx, campaignId, 23, PLAN_CHANGES);
}
