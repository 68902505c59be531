import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { creditsFor } from '../../domain/credits.ts';
import { MATCHED_OUTCOMES } from '../../domain/signals/agent-rules.ts';
import { peopleStop, searchStops } from '../../domain/signals/searched-posts.ts';
import type { Tx } from '../../postgres/database.ts';
import { releaseHold } from '../../store/credits/credits.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { insertScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { decideSignals } from '../../store/signals/decide-signals.ts';
import { openDeciding } from '../../store/signals/deciding.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import type { SignalPlace } from '../../store/signals/signal-page.ts';
import { wrongState } from '../errors.ts';
import { holdFor, type NeededCredits, requireWithinMax } from '../idempotency/credit-hold.ts';
import { naturalKeyParam } from '../key-params.ts';
import { requireScope } from '../require-scope.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { agentLeadOf, agentLeads, signalAgentLead } from './agent-lead.ts';
import { requireAgent } from './agent-row.ts';

/** Batches of a dry run: what is beyond them a real run decides. */
const MOST_BATCHES = 20;
/** Leads that a dry run names. */
const MOST_NAMED = 100;

const input = z.strictObject({
  signalAgentId: z.string().min(1),
  dryRun: z.boolean().default(false),
  maxLeads: z.int().min(1).max(1_000).optional(),
  maxCredits: z.int().min(0).optional().describe('Refuse before any work when the estimate is above this.'),
  idempotencyKey: naturalKeyParam,
});
type Request = z.output<typeof input>;
const output = z.object({
  signalAgentId: z.string(),
  agentRunId: z.string().nullable(),
  matched: z.number().describe('Of a dry run; a real one tells its numbers in lastRun of svc_get_signal_agent.'),
  wouldEnqueue: z.array(signalAgentLead).describe('Of a dry run: the first 100.'),
});
type Answer = z.input<typeof output>;

export const runSignalAgent = tool({
  name: 'svc_run_signal_agent',
  domain: 'Signal Agents',
  title: 'Run signal agent now',
  description:
    'Runs an agent once now, or with dryRun shows whom it would enqueue at no charge from signals already on record. Next: svc_list_signal_agent_leads.',
  example: { input: { signalAgentId: '$signalAgentId' }, other: { maxLeads: 3 } },
  scope: 'signals:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'record',
  input,
  output,
  async run(ctx, request) {
    if (request.dryRun) return dryRun(ctx, request);
    const agent = await ctx.tx((tx) => requireAgent(tx, request.signalAgentId));
    return ctx.create(agent.workspaceId, (tx) => begin(ctx, tx, request));
  },
});

/** Queues a run of its own for the executor of the workspace. @throws UserError when one is under way */
async function begin(ctx: ToolContext, tx: Tx, request: Request): Promise<Answer> {
  const now = ctx.clocks.product.now();
  const agent = await requireAgent(tx, request.signalAgentId, true);
  const most = estimateOf(agent, request.maxLeads);
  requireWithinMax({ ...most, maxCredits: request.maxCredits });
  if (most.estimate > 0 && searchStops(agent) === null) await askCredits(ctx, tx, most);
  const live = await tx.row(
    `select 1 from scheduled_run where schedule_id = $1 and state in ('queued', 'running') limit 1`,
    [agent.id],
  );
  if (live) throw wrongState('A run of the agent is under way', 'svc_get_signal_agent');
  const id = ctx.ids.uuid();
  const cursor: JsonObject = request.maxLeads === undefined ? {} : { maxLeads: request.maxLeads };
  const { workspaceId } = agent;
  const taken = await tx.row<{ at: number }>(
    'select max(scheduled_for) as at from scheduled_run where schedule_id = $1 and scheduled_for >= $2',
    [agent.id, now],
  );
  const scheduledFor = Math.max(now, (taken?.at ?? 0) + 1);
  await insertScheduledRun(tx, { id, scheduleId: agent.id, workspaceId, scheduledFor, now, cursor });
  await wakeWorkspace(tx, workspaceId, now, 'a signal agent was run');
  return { signalAgentId: agent.id, agentRunId: id, matched: 0, wouldEnqueue: [] };
}

/** Most credits that a run may cost: each person whom it finds on the network and enqueues costs one. */
function estimateOf(agent: SignalAgent, maxLeads: number | undefined): NeededCredits {
  const leads = Math.min(agent.dailyLeadLimit, maxLeads ?? agent.dailyLeadLimit);
  const searches = searchStops(agent) === null || peopleStop(agent) === null;
  const estimate = searches ? creditsFor('signal_scan', leads) : 0;
  return {
    workspaceId: agent.workspaceId,
    action: 'signal_scan',
    estimate: Math.min(estimate, agent.dailyCreditLimit ?? estimate),
  };
}

/** What one person costs has to be there; each batch of the run holds what it spends itself. @throws UserError */
async function askCredits(ctx: ToolContext, tx: Tx, most: NeededCredits): Promise<void> {
  const one = { ...most, estimate: creditsFor('signal_scan', 1), job: ctx.ids.uuid() };
  const { id } = await holdFor(ctx, tx, one);
  await releaseHold(tx, id, ctx.clocks.product.now(), 'the run holds what it spends itself');
}

/** Rolls a dry run back while carrying what it would have done. */
class DryRun extends Error {
  answer: Answer | undefined;
}

/** The same code as a real run, in a transaction that is rolled back: a real run right after it enqueues exactly these. */
async function dryRun(ctx: ToolContext, request: Request): Promise<Answer> {
  requireScope(ctx, 'leads:read', 'see whom a dry run would enqueue');
  const undo = new DryRun();
  return ctx
    .unrecorded(async (tx) => {
      const agent = await requireAgent(tx, request.signalAgentId, true);
      undo.answer = await tryOut(ctx, tx, agent, request.maxLeads ?? null);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error === undo && undo.answer) return undo.answer;
      throw error;
    });
}

async function tryOut(ctx: ToolContext, tx: Tx, agent: SignalAgent, maxLeads: number | null): Promise<Answer> {
  const now = ctx.clocks.product.now();
  const newId = (): string => ctx.ids.uuid();
  const run = { scheduledRunId: ctx.ids.uuid(), now, newId };
  let matched = 0;
  let enqueued = 0;
  let after: SignalPlace | null = null;
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    ctx.signal.throwIfAborted();
    const leadsLeft = maxLeads === null ? null : maxLeads - enqueued;
    const done = await decideSignals(tx, await openDeciding(tx, agent, { ...run, leadsLeft }), after);
    matched += done.decisions.filter((one) => MATCHED_OUTCOMES.includes(one.outcome)).length;
    enqueued += done.decisions.filter((one) => one.outcome === 'enqueued').length;
    if (done.after === null) break;
    after = done.after;
  }
  const mine = { agentId: agent.id, outcomes: ['enqueued'] as const, scheduledRunId: run.scheduledRunId };
  const rows = enqueued === 0 ? [] : await agentLeads(tx, mine, { after: null, limit: MOST_NAMED });
  const named = rows.map((row) => agentLeadOf(row, now));
  return { signalAgentId: agent.id, agentRunId: null, matched, wouldEnqueue: named };
}
