import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import { missingOf } from '../../domain/missing-data.ts';
import { REVIEW_EXPIRED } from '../../domain/review-expiry.ts';
import type { Tx } from '../../postgres/database.ts';
import { stopActions } from '../../store/actions/actions.ts';
import {
  moveRun,
  pauseRun,
  renewExpired,
  resumeRun,
  reviveExpired,
  reviveRun,
  stopRun,
} from '../../store/runs/control-runs.ts';
import { appendEvents } from '../../store/runs/run-events.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput, notFound } from '../errors.ts';
import { foundIds } from '../found-ids.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { judgeMove, type MoveJudgement } from './judge-move.ts';
import type { RunRow } from './run-row.ts';

const input = z.strictObject({
  runIds: z.array(z.string()).min(1).max(100).optional(),
  actionIds: z
    .array(z.string())
    .min(1)
    .max(100)
    .optional()
    .describe('Actions without a run, for stop: those that have not left.'),
  action: z.enum(['pause', 'resume', 'stop', 'retry', 'move']),
  nodeId: z.string().min(1).optional().describe('Target for move.'),
  resumeAt: dateTime.optional().describe('For pause.'),
  reason: z.string().max(500).optional(),
});
type Request = z.output<typeof input>;
/** Catalog record RunProblem. */
const problem = z.object({
  runId: z.string().optional(),
  actionId: z.string().optional().describe('In place of runId.'),
  message: z.string(),
});
type Problem = z.input<typeof problem>;

export const controlWorkflowRuns = tool({
  name: 'svc_control_workflow_runs',
  domain: 'Workflow Execution',
  title: 'Control workflow runs',
  description:
    'Pauses, resumes, stops, retries or moves leads inside a workflow; resume also takes up those whose review expired. Stops actions without a run too. Next: svc_get_workflow_run.',
  example: { input: { runIds: ['$runId'], action: 'pause', reason: 'on holiday' } },
  scope: 'workflows:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({
    changed: z.number(),
    unchanged: z.array(problem),
    notFound: z.array(z.string()).describe('Ids that are not there; the others were changed.'),
    notes: z.array(problem).describe('Of a move: what happens at the step that the caller may not expect.'),
  }),
  async run(ctx, request) {
    requireFitting(request, ctx.clocks.product.now());
    return ctx.tx(async (tx) => {
      const { runs, missing } = await lockRuns(tx, request.runIds ?? []);
      if (request.nodeId !== undefined) await requireNode(tx, runs, request.nodeId);
      const unchanged: Problem[] = [];
      const notes: Problem[] = [];
      const changed: RunRow[] = [];
      for (const run of runs) {
        const { refused, note } =
          request.action === 'move' && run.ended_at === null
            ? await judgeMove(tx, run, request.nodeId ?? '')
            : AS_IT_SAYS;
        const problem = refused ?? (await apply(ctx, tx, run, request));
        if (problem === null && note !== null) notes.push({ runId: run.id, message: note });
        if (problem === null) changed.push(run);
        else unchanged.push({ runId: run.id, message: problem });
      }
      await record(ctx, tx, changed, request);
      const actions = await stopAll(ctx, tx, request);
      unchanged.push(...actions.unchanged);
      const notFound = [...missing, ...actions.missing];
      return { changed: changed.length + actions.stopped, unchanged, notFound, notes };
    });
  },
});

const AS_IT_SAYS: MoveJudgement = { refused: null, note: null };

/** What an action has no use for was meant for another one: a stop can not be taken back. */
function requireFitting({ runIds, actionIds, action, nodeId, resumeAt }: Request, now: number): void {
  if (runIds === undefined && actionIds === undefined) throw invalidInput('runIds', 'is required without actionIds');
  if (actionIds !== undefined && action !== 'stop') throw invalidInput('actionIds', 'is for stop alone');
  if (action === 'move' && nodeId === undefined) throw invalidInput('nodeId', 'is required for move');
  if (action !== 'move' && nodeId !== undefined) throw invalidInput('nodeId', 'is for move alone');
  if (resumeAt === undefined) return;
  if (action !== 'pause') throw invalidInput('resumeAt', 'is for pause alone');
  if (Date.parse(resumeAt) <= now) throw invalidInput('resumeAt', 'has passed already');
}

/** Stops what has not left of the actions that are named. */
async function stopAll(
  ctx: ToolContext,
  tx: Tx,
  { actionIds = [], reason }: Request,
): Promise<{ stopped: number; unchanged: Problem[]; missing: string[] }> {
  if (actionIds.length === 0) return { stopped: 0, unchanged: [], missing: [] };
  const now = ctx.clocks.product.now();
  const rows = await stopActions(tx, actionIds.filter(isUuid), now, reason ?? 'stopped by a person');
  const { missing } = foundIds(
    'action',
    actionIds,
    rows.map((row) => row.actionId),
  );
  const unchanged = rows.flatMap(({ actionId, stopped, state }) =>
    stopped ? [] : [{ actionId, message: `The action is ${state ?? 'over'}. Call svc_diagnose with target action.` }],
  );
  return { stopped: rows.length - unchanged.length, unchanged, missing };
}

async function lockRuns(tx: Tx, runIds: readonly string[]): Promise<{ runs: RunRow[]; missing: string[] }> {
  if (runIds.length === 0) return { runs: [], missing: [] };
  const rows = await tx.rows<RunRow>('select * from run where id = any ($1::uuid[]) order by id for update', [
    runIds.filter(isUuid),
  ]);
  const { missing } = foundIds(
    'workflowRun',
    runIds,
    rows.map((row) => row.id),
  );
  return { runs: rows, missing };
}

async function requireNode(tx: Tx, runs: readonly RunRow[], nodeId: string): Promise<void> {
  for (const run of runs) {
    const found = await tx.row(
      `select 1 from workflow_graph g, jsonb_array_elements(g.graph -> 'nodes') n
       where g.workflow_id = $1 and g.version = $2 and n ->> 'nodeId' = $3`,
      [run.workflow_id, run.graph_version, nodeId],
    );
    if (!found) throw notFound('workflowNode', nodeId);
  }
}

/** @returns why nothing was changed, or null */
async function apply(ctx: ToolContext, tx: Tx, run: RunRow, request: Request): Promise<string | null> {
  const now = ctx.clocks.product.now();
  switch (request.action) {
    case 'pause':
      return pause(tx, run, request.resumeAt === undefined ? null : Date.parse(request.resumeAt));
    case 'resume':
      return hasExpired(run) ? takeUp(tx, run, now) : resume(tx, run, now);
    case 'stop':
      return stop(tx, run, now, request.reason ?? 'stopped by a person');
    case 'retry':
      return hasExpired(run) ? takeUp(tx, run, now) : retry(tx, run, now);
    case 'move':
      return move(tx, run, request.nodeId ?? '', now);
  }
}

async function pause(tx: Tx, run: RunRow, resumeAt: number | null): Promise<string | null> {
  if (run.ended_at !== null) return `The run has ended (${run.state}). Call svc_get_workflow_run.`;
  if (run.state === 'paused' && run.due_at === resumeAt) return 'The run is paused already. Call svc_get_workflow_run.';
  await pauseRun(tx, run.id, resumeAt);
  return null;
}

async function stop(tx: Tx, run: RunRow, now: number, reason: string): Promise<string | null> {
  if (run.ended_at !== null) return `The run has ended (${run.state}). Call svc_get_workflow_run.`;
  await stopRun(tx, run.id, now, reason);
  return null;
}

async function resume(tx: Tx, run: RunRow, now: number): Promise<string | null> {
  // Nobody has closed what expired while something was stopped.
  if (run.state === 'in_review' && (await renewExpired(tx, run.id, now))) return null;
  if (run.state !== 'paused') return `The run is ${run.state}, not paused. Call svc_get_workflow_run.`;
  await resumeRun(tx, run.id, now);
  return null;
}

/** Whether it ended because nobody decided about its draft in time. */
function hasExpired({ state, end_reason: reason }: RunRow): boolean {
  return state === 'stopped' && reason === REVIEW_EXPIRED;
}

/** Whether it stopped because nobody knew of the lead what its text says; it goes on at that step once that is known. */
function lackedData({ state, end_reason: reason }: RunRow): boolean {
  return state === 'stopped' && missingOf(reason) !== null;
}

/** Goes on where its draft expired: a new draft is put before people. Nothing of that step was sent. */
async function takeUp(tx: Tx, run: RunRow, now: number): Promise<string | null> {
  if (await hasLiveRun(tx, run)) return ANOTHER_RUN;
  await reviveExpired(tx, run.id, now);
  return null;
}

const ANOTHER_RUN = 'The lead has another live run in this workflow. Call svc_list_workflow_runs.';

async function hasLiveRun(tx: Tx, run: RunRow): Promise<boolean> {
  const live = await tx.row('select 1 from run where workflow_id = $1 and lead_id = $2 and ended_at is null', [
    run.workflow_id,
    run.lead_id,
  ]);
  return live !== undefined;
}

/** Only a run that failed, or lacked something, is retried, and never a step whose send is recorded or of unknown outcome. */
async function retry(tx: Tx, run: RunRow, now: number): Promise<string | null> {
  if (run.state !== 'failed' && !lackedData(run))
    return `The run is ${run.state}, not failed. Call svc_get_workflow_run.`;
  const sent = await tx.row<{ state: string }>(
    `select state
     from send
     where run_id = $1 and node_id = $2 and state in ('dispatched', 'confirmed', 'unknown')
     limit 1`,
    [run.id, run.node_id],
  );
  if (sent) return `The send of this step is ${sent.state}; it is never repeated. Call svc_get_workflow_run.`;
  if (await hasLiveRun(tx, run)) return ANOTHER_RUN;
  await reviveRun(tx, run.id, now);
  return null;
}

async function move(tx: Tx, run: RunRow, nodeId: string, now: number): Promise<string | null> {
  if (run.ended_at !== null) return `The run has ended (${run.state}). Call svc_get_workflow_run.`;
  const busy = await tx.row(`select 1 from send where run_id = $1 and state in ('claimed', 'dispatched', 'unknown')`, [
    run.id,
  ]);
  if (busy) return 'A send of this run is under way or of unknown outcome. Call svc_get_workflow_run.';
  // It left while the run was held: its step, and that the person was reached, are not in the run's history yet.
  const untaken = await tx.row(
    `select 1 from run r join send s on s.id = r.send_id where r.id = $1 and s.state = 'confirmed'`,
    [run.id],
  );
  if (untaken) return 'Its last action is done and not in its history yet. Resume the run first, then move it.';
  await moveRun(tx, run.id, nodeId, now);
  return null;
}

async function record(ctx: ToolContext, tx: Tx, runs: readonly RunRow[], request: Request): Promise<void> {
  const now = ctx.clocks.product.now();
  const actor = actorOf(ctx);
  const kind: EventKind = request.action === 'stop' ? 'run.completed' : 'run.step_done';
  for (const workspaceId of new Set(runs.map((run) => run.workspace_id))) {
    const events = runs
      .filter((run) => run.workspace_id === workspaceId)
      .map((run) => ({
        runId: run.id,
        at: now,
        kind,
        nodeId: request.nodeId ?? null,
        actor,
        text: request.reason ?? '',
        // Where it stood, which nothing else of the history tells.
        data: { action: request.action, ...(request.action === 'move' ? { from: run.node_id } : {}) },
      }));
    await appendEvents(tx, workspaceId, events);
    await wakeWorkspace(tx, workspaceId, now, `runs: ${request.action}`);
  }
}
