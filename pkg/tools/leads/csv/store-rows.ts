import { isUuid } from '../../../base/ids.ts';
import type { Tx } from '../../../postgres/database.ts';
import { erasedAmong } from '../../../store/erasure/erasure.ts';
import { excludeImported } from '../../../store/leads/import-exclusions.ts';
import {
  addMembers,
  attachToCampaign,
  findExisting,
  type ImportLead,
  lockLeads,
  tagLeads,
  tryIdentities,
} from '../../../store/leads/imports.ts';
import { MOST_TAGS } from '../../../store/leads/lead-overlay.ts';
import { refreshLists } from '../../../store/lists/lead-lists.ts';
import { wakeIfWorking } from '../../../store/runs/wake.ts';
import { markScoresStale } from '../../../store/scoring/scoring-jobs.ts';
import { countSuppressed } from '../../../store/suppression/count-suppressed.ts';
import { requireCampaign } from '../../campaigns/campaign-row.ts';
import { invalidInput, notFound, wrongState } from '../../errors.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { ImportRequest, RowProblem } from './import-request.ts';
import type { ImportPlan, ImportPlanner } from './plan-import.ts';
import { storePlan } from './store-plan.ts';

const ERASED = 'this person was erased and is not imported again';

/** What became of rows. */
export interface StoredRows {
  created: number;
  updated: number;
  /** Leads of them who must not be contacted. */
  suppressed: number;
  /** Leads that the file itself excludes. */
  excluded: number;
  problems: RowProblem[];
  /** What was left out of rows; none is skipped for it. */
  notes: RowProblem[];
}

type Progress = (done: number, total: number) => void;

/**
 * Stores rows with all that follows from them, in the caller's transaction.
 * @param planner knows the rows before
 * @param earlier rows of the file that are stored already and that the planner does not know
 * @param progress hears of rows that were written; a note to the caller's client must be beyond the one before
 * @throws LockTaken, and Error 55P03, when somebody else writes leads of the workspace or of the same persons
 */
export async function storeRows(
  ctx: ToolContext,
  tx: Tx,
  request: ImportRequest,
  leads: readonly ImportLead[],
  planner: ImportPlanner,
  earlier: readonly ImportLead[] = [],
  progress: Progress = (done, total) => ctx.progress(done, total, 'leads written'),
): Promise<StoredRows> {
  const { workspaceId } = ctx;
  await requireTargets(tx, request);
  await lockLeads(tx, workspaceId);
  await tryIdentities(tx, workspaceId, leads);
  if (earlier.length > 0) planner.plan(earlier, await findExisting(tx, workspaceId, earlier));
  const erased = await erasedAmong(tx, workspaceId, leads);
  const rows = leads.filter((lead) => !erased.has(lead));
  const plan = planner.plan(rows, await findExisting(tx, workspaceId, rows));
  ctx.signal.throwIfAborted();
  await write(ctx, tx, request, plan, progress);
  const excluded = await excludeImported(tx, workspaceId, plan.exclusions, ctx.clocks.product.now());
  await markScoresStale(tx, workspaceId);
  const refused = [...erased].map((lead) => ({ row: lead.line, field: null, message: ERASED }));
  return {
    created: plan.create.length,
    updated: plan.merge.length,
    suppressed: await countSuppressed(tx, {
      workspaceId,
      campaignId: request.campaignId ?? null,
      leadIds: plan.leadIds,
      now: ctx.clocks.product.now(),
    }),
    excluded,
    problems: [...refused, ...plan.problems].map((one) => ({ ...one, skipped: true as const })),
    notes: plan.notes,
  };
}

/** @throws UserError when the list or campaign is none that takes leads */
async function requireTargets(tx: Tx, request: ImportRequest): Promise<void> {
  if (request.campaignId !== undefined) await requireCampaign(tx, request.campaignId);
  if (request.leadListId === undefined) return;
  const list = isUuid(request.leadListId)
    ? await tx.row<{ type: string }>('select type from lead_list where id = $1 and deleted_at is null', [
        request.leadListId,
      ])
    : undefined;
  if (!list) throw notFound('leadList', request.leadListId);
  if (list.type === 'query') throw wrongState('A query list has no manual members', 'svc_update_lead_list');
}

async function write(
  ctx: ToolContext,
  tx: Tx,
  request: ImportRequest,
  plan: ImportPlan,
  progress: Progress,
): Promise<void> {
  const { workspaceId } = ctx;
  const now = ctx.clocks.product.now();
  await storePlan(tx, plan, {
    workspaceId,
    onDuplicate: request.onDuplicate,
    source: request.sourceNote ?? 'csv import',
    now,
    progress,
  });
  const full = await tagLeads(tx, workspaceId, plan.leadIds, request.tags ?? []);
  if (full !== undefined)
    throw invalidInput('tags', `lead "${full}" would have more than ${MOST_TAGS} tags; nothing was imported`);
  if (request.leadListId !== undefined) await addMembers(tx, workspaceId, request.leadListId, plan.leadIds, now);
  if (request.campaignId !== undefined) await attachToCampaign(tx, workspaceId, request.campaignId, plan.leadIds, now);
  await refreshLists(tx, workspaceId, now);
  // A list, or a query list that the leads match, may feed a workflow.
  await wakeIfWorking(tx, workspaceId, now, 'leads imported');
}
