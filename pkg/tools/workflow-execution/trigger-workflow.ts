import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { type EnrolInput, type Enrolment, enrolUpTo } from '../../store/runs/enrol.ts';
import { notFound, wrongState } from '../errors.ts';
import { foundIds } from '../found-ids.ts';
import { naturalKeyParam } from '../key-params.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { requireWorkflow, type WorkflowRow } from '../workflows/workflow-row.ts';
import { triggerHint } from './trigger-hint.ts';

const input = z.strictObject({
  workflowId: z.string().min(1),
  leadIds: z.array(z.string()).max(100).optional(),
  leadListId: z.string().min(1).optional(),
  maxLeads: z.int().min(1).max(10_000).optional(),
  ignoreScore: z
    .boolean()
    .default(false)
    .describe('Also takes leads whose total is below the scoreMin of the campaign.'),
  dryRun: z.boolean().default(false),
  detail: z.enum(['compact', 'full']).default('compact').describe('compact: names 25 runs and 25 skipped.'),
  idempotencyKey: naturalKeyParam,
});

/** Leads enrolled per call when nothing bounds them. */
const DEFAULT_MAX = 1_000;
/** Runs that an answer names at most, in full; all are counted. Source: catalog svc_trigger_workflow. */
const MOST_RUN_IDS = 1_000;
/** Leads that a call tries at most in place of those who are skipped, and skipped leads that it keeps. */
const MOST_TRIED = 100_000;
const MOST_SKIPPED = 10_000;
/** Where leads are skipped it tries so many at a time, and four times as many each time after. */
const FIRST_CHUNK = 250;
const LARGEST_CHUNK = 2_000;
/** Runs, and skipped leads, that a compact answer names. */
const MOST_NAMED = 25;

export const triggerWorkflow = tool({
  name: 'svc_trigger_workflow',
  domain: 'Workflow Execution',
  title: 'Trigger workflow',
  description:
    'Enrols leads now: given leads, a list, or whoever qualifies in the campaign pool; a lead already enrolled, suppressed or claimed elsewhere is skipped and named. Next: svc_get_workflow_stats.',
  example: {
    input: { workflowId: '$workflowId', leadIds: ['$leadId'] },
    keep: { runId: 'runIds.0' },
    other: { maxLeads: 7 },
  },
  scope: 'workflows:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({
    enrolled: z.number(),
    skipped: z.array(z.object({ leadId: z.string(), reason: z.string() })),
    skippedReasons: z.record(z.string(), z.number()).describe('How many of each reason, of all.'),
    runIds: z.array(z.string()).describe('The first ones; svc_list_workflow_runs lists all.'),
    notFound: z.array(z.string()).describe('leadIds that are not there; the others were taken.'),
    left: z.number().describe('Of the list, or of the pool, who were not tried, since the call has a bound.'),
    hint: z
      .string()
      .nullable()
      .describe('How to go on with those who are left, or below the score, and what keeps who was enrolled.'),
  }),
  async run(ctx, request) {
    const workflow = await ctx.tx((tx) => requireWorkflow(tx, request.workflowId));
    if (!request.dryRun) {
      const result = await ctx.repeatable<Result>(workflow.workspace_id, {
        work: (tx, earlier) => trigger(ctx, tx, workflow, request, earlier),
        did: ({ enrolled }) => enrolled > 0,
      });
      // What is kept names all: a call that is made again must know whom the first one started.
      // A version before kept fewer fields.
      return shown({ ...NOTHING_LEFT, ...result }, request.detail);
    }
    const undo = new DryRun();
    return ctx
      .unrecorded(async (tx) => {
        undo.result = await trigger(ctx, tx, workflow, request);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error === undo && undo.result) return shown({ ...undo.result, runIds: [] }, request.detail);
        throw error;
      });
  },
});

interface Result {
  enrolled: number;
  skipped: { leadId: string; reason: string }[];
  runIds: string[];
  notFound: string[];
  left: number;
  hint: string | null;
}

/** As much of a result as was asked for: who calls for a thousand people would read 80 kB of ids. */
function shown(result: Result, detail: 'compact' | 'full'): Result & { skippedReasons: Record<string, number> } {
  const skippedReasons: Record<string, number> = {};
  for (const { reason } of result.skipped) skippedReasons[reason] = (skippedReasons[reason] ?? 0) + 1;
  const full = detail === 'full';
  return {
    ...result,
    skipped: full ? result.skipped : result.skipped.slice(0, MOST_NAMED),
    skippedReasons,
    runIds: result.runIds.slice(0, full ? MOST_RUN_IDS : MOST_NAMED),
  };
}

const NOTHING_LEFT: Pick<Result, 'notFound' | 'left' | 'hint'> = { notFound: [], left: 0, hint: null };

/** Rolls a dry run back while carrying what it would have done. */
class DryRun extends Error {
  result: Result | undefined;
}

/**
 * Made again (`earlier`), it takes what the first call left of its bound and starts nobody a second time: its answer is the first one's,
 * and tells besides of those who were skipped then and are free now, or who came since.
 */
async function trigger(
  ctx: ToolContext,
  tx: Tx,
  workflow: WorkflowRow,
  request: z.output<typeof input>,
  earlier?: Result,
): Promise<Result> {
  const limit = (request.maxLeads ?? DEFAULT_MAX) - (earlier?.enrolled ?? 0);
  if (earlier && limit <= 0) return earlier;
  const tried = new Set(await leadsOf(tx, earlier?.runIds ?? []));
  const done = await tryLeads(ctx, tx, workflow, request, { limit, tried });
  const named = request.leadIds !== undefined && request.leadListId === undefined;
  const left = named ? 0 : await countLeft(tx, workflow, request, tried);
  const fromPool = request.leadIds === undefined && request.leadListId === undefined;
  const low = fromPool && !request.ignoreScore ? await countLow(tx, workflow) : done.low.size;
  const skippedLow = [...done.low].map((leadId) => ({ leadId, reason: 'below_score' }));
  const { skipped, ...rest } = summary(done.enrolments, earlier?.runIds ?? []);
  return {
    ...rest,
    skipped: [...skipped, ...skippedLow].slice(0, MOST_SKIPPED),
    notFound: done.missing,
    left,
    hint: await triggerHint(tx, workflow, {
      left,
      low,
      enrolled: rest.enrolled,
      skipped: skipped.length,
      poolOnly: fromPool && done.enrolments.length === 0,
    }),
  };
}

interface Tried {
  enrolments: Enrolment[];
  low: Set<string>;
  missing: string[];
}

/**
 * Enrols until the call has started as many as it may, or nobody new is left: who is skipped takes no place of those behind them,
 * so that a call which meets a thousand suppressed leads goes on to the next. @param bounds its `tried` gets all that were tried
 */
async function tryLeads(
  ctx: ToolContext,
  tx: Tx,
  workflow: WorkflowRow,
  request: z.output<typeof input>,
  { limit, tried }: { limit: number; tried: Set<string> },
): Promise<Tried> {
  const done: Tried = { enrolments: [], low: new Set(), missing: [] };
  const fromPool = request.leadIds === undefined && request.leadListId === undefined;
  let room = limit;
  let chunk = room;
  for (let round = 0; room > 0 && tried.size < MOST_TRIED; round++) {
    const bounds = { limit: chunk, taken: tried, onlyNew: round > 0 };
    const { leadIds: asked, missing } = await candidates(tx, workflow, request, bounds);
    if (round === 0) done.missing = missing;
    // Behind the records: who names a lead that is not there hears of that first. Source: catalog, check order.
    if (!workflow.enabled) throw wrongState('The workflow is disabled', 'svc_update_workflow_status');
    if (asked.length === 0) break;
    // The pool gives nobody below the score.
    const low = request.ignoreScore || fromPool ? new Set<string>() : await belowScore(tx, workflow, asked);
    for (const leadId of low) done.low.add(leadId);
    const leads = asked.filter((leadId) => !low.has(leadId)).map((leadId) => ({ leadId, runId: ctx.ids.uuid() }));
    const input: EnrolInput = {
      workspaceId: workflow.workspace_id,
      workflowId: workflow.id,
      now: ctx.clocks.product.now(),
      leads,
      // A person who names a lead has decided about their earlier answers.
      source: request.leadIds === undefined ? 'trigger' : 'named',
    };
    const enrolments = await enrolUpTo(tx, input, room);
    for (const leadId of [...low, ...enrolments.map((one) => one.leadId)]) tried.add(leadId);
    done.enrolments.push(...enrolments);
    room -= enrolments.filter((one) => one.skipped === null).length;
    chunk = Math.min(LARGEST_CHUNK, Math.max(FIRST_CHUNK, chunk * 4));
  }
  return done;
}

async function leadsOf(tx: Tx, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const rows = await tx.rows<{ lead_id: string }>('select lead_id from run where id = any ($1)', [runIds]);
  return rows.map((row) => row.lead_id);
}

/** How many leads of the pool are scored too low for the campaign. */
async function countLow(tx: Tx, workflow: WorkflowRow): Promise<number> {
  const row = await tx.row<{ low: number }>(
    `select count(*)::int as low
     from (
       select 1
       from lead_score x
       join campaign c on c.id = x.campaign_id
       where x.workspace_id = $1 and x.campaign_id = $2 and x.total is not null
       group by x.lead_id, c.settings
       having max(x.total) < app.score_min(c.settings)
     ) x`,
    [workflow.workspace_id, workflow.campaign_id],
  );
  return row?.low ?? 0;
}

/** Of these leads those whose best total in the campaign is below its scoreMin; who has no score belongs. Source: specification, Scoring. */
async function belowScore(tx: Tx, workflow: WorkflowRow, leadIds: readonly string[]): Promise<Set<string>> {
  if (leadIds.length === 0) return new Set();
  const rows = await tx.rows<{ lead_id: string }>(
    `select x.lead_id
     from lead_score x
     join campaign c on c.id = x.campaign_id
     where x.workspace_id = $1 and x.campaign_id = $2 and x.lead_id = any ($3::uuid[]) and x.total is not null
     group by x.lead_id, c.settings
     having max(x.total) < app.score_min(c.settings)`,
    [workflow.workspace_id, workflow.campaign_id, leadIds],
  );
  return new Set(rows.map((row) => row.lead_id));
}

/** How many of the list, or of the pool, were never in the workflow and were not tried. */
async function countLeft(
  tx: Tx,
  workflow: WorkflowRow,
  { leadListId, ignoreScore }: z.output<typeof input>,
  tried: ReadonlySet<string>,
): Promise<number> {
  const enough = ignoreScore ? 'x.total is not null' : 'x.total >= app.score_min(c.settings)';
  const pool = `select x.lead_id from lead_score x join campaign c on c.id = x.campaign_id
    where x.workspace_id = $2 and x.campaign_id = $3 and ${enough} group by x.lead_id`;
  const list = 'select m.lead_id from lead_list_member m where m.lead_list_id = $3::uuid';
  const row = await tx.row<{ left: number }>(
    `select count(*)::int as left
     from (${leadListId === undefined ? pool : list}) x
     where x.lead_id <> all ($4::uuid[]) and ${IS_NEW}`,
    [workflow.id, workflow.workspace_id, leadListId ?? workflow.campaign_id, [...tried]],
  );
  return row?.left ?? 0;
}

function summary(enrolments: Enrolment[], before: readonly string[]): Pick<Result, 'enrolled' | 'skipped' | 'runIds'> {
  const started = enrolments.flatMap((entry) => (entry.skipped === null && entry.runId !== null ? [entry.runId] : []));
  const skipped = enrolments.flatMap((entry) =>
    entry.skipped === null ? [] : [{ leadId: entry.leadId, reason: entry.skipped }],
  );
  const runIds = [...before, ...started];
  return { enrolled: runIds.length, skipped, runIds };
}

/** Whether the workflow ($1) never had the lead of `x`: those come first, so that a caller who calls again goes on behind the bound of the last call. */
const IS_NEW =
  'not exists (select 1 from run r where r.workspace_id = $2 and r.workflow_id = $1 and r.lead_id = x.lead_id)';

/** How many leads a call may take, and who is taken already. */
interface Bounds {
  limit: number;
  taken: ReadonlySet<string>;
  /** Only those whom the workflow never had. */
  onlyNew: boolean;
}

/** Given leads and the members of the list, else the campaign pool, best first. */
async function candidates(
  tx: Tx,
  workflow: WorkflowRow,
  request: z.output<typeof input>,
  bounds: Bounds,
): Promise<{ leadIds: string[]; missing: string[] }> {
  const { limit, taken, onlyNew } = bounds;
  if (request.leadIds !== undefined || request.leadListId !== undefined) {
    const { found: given, missing } = await knownLeads(tx, workflow, request.leadIds ?? []);
    const members = request.leadListId === undefined ? [] : await membersOf(tx, workflow, request.leadListId, bounds);
    const leadIds = [...new Set([...given, ...members])].filter((leadId) => !taken.has(leadId)).slice(0, limit);
    return { leadIds, missing };
  }
  const rows = await tx.rows<{ lead_id: string }>(
    `select x.lead_id from lead_score x join campaign c on c.id = x.campaign_id
     where x.workspace_id = $2 and x.campaign_id = $3 and x.lead_id <> all ($5::uuid[])
     group by x.lead_id, c.settings
     having max(x.total) is not null and ($6 or max(x.total) >= app.score_min(c.settings))
       and (not $7 or ${IS_NEW})
       and not exists (select 1 from run r where r.workflow_id = $1 and r.lead_id = x.lead_id and r.ended_at is null)
     order by ${IS_NEW} desc, max(x.total) desc, x.lead_id limit $4`,
    [workflow.id, workflow.workspace_id, workflow.campaign_id, limit, [...taken], request.ignoreScore, onlyNew],
  );
  return { leadIds: rows.map((row) => row.lead_id), missing: [] };
}

/** Of the workflow's workspace or the shared pool: who calls may be a member of several workspaces. */
async function knownLeads(
  tx: Tx,
  workflow: WorkflowRow,
  leadIds: string[],
): Promise<{ found: string[]; missing: string[] }> {
  const valid = leadIds.filter(isUuid);
  const rows = await tx.rows<{ id: string }>(
    'select id from lead where id = any ($1::uuid[]) and (workspace_id is null or workspace_id = $2)',
    [valid, workflow.workspace_id],
  );
  return foundIds(
    'lead',
    leadIds,
    rows.map((row) => row.id),
  );
}

async function membersOf(
  tx: Tx,
  workflow: WorkflowRow,
  leadListId: string,
  { limit, taken, onlyNew }: Bounds,
): Promise<string[]> {
  const list = isUuid(leadListId)
    ? await tx.row('select 1 from lead_list where id = $1 and workspace_id = $2 and deleted_at is null', [
        leadListId,
        workflow.workspace_id,
      ])
    : undefined;
  if (!list) throw notFound('leadList', leadListId);
  const members = async (which: string, most: number): Promise<string[]> => {
    const rows = await tx.rows<{ lead_id: string }>(
      `select x.lead_id
       from lead_list_member x
       where x.lead_list_id = $3 and x.lead_id <> all ($5::uuid[]) and ${which}
       order by x.added_at, x.lead_id limit $4`,
      [workflow.id, workflow.workspace_id, leadListId, most, [...taken]],
    );
    return rows.map((row) => row.lead_id);
  };
  const fresh = await members(IS_NEW, limit);
  // Who was there before is tried, or named, where there is room.
  if (onlyNew || fresh.length === limit) return fresh;
  return [...fresh, ...(await members(`not (${IS_NEW})`, limit - fresh.length))];
}
