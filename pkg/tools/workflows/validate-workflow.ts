import { z } from 'zod';
import type { ForecastAccount } from '../../domain/forecast-account.ts';
import type { CompiledGraph } from '../../domain/graph.ts';
import { compileGraph } from '../../nodes/compile-graph.ts';
import { forecastGraph } from '../../nodes/forecast-graph.ts';
import type { Tx } from '../../postgres/database.ts';
import { readAiEndpoint } from '../../store/integrations/own-endpoints.ts';
import { invalidInput, notFound } from '../errors.ts';
import { graphParam, graphProblem } from '../records/graph.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { graphOf } from './check-graph.ts';
import { EXAMPLE_WORKFLOW } from './example-workflow.ts';
import { accountsWarning, type CampaignFacts, campaignFacts, type Senders, sendingAccounts } from './forecast-facts.ts';
import { gapWarnings } from './gap-warnings.ts';
import { hoursWarnings } from './hours-warnings.ts';
import { inFlightWarnings } from './in-flight-warnings.ts';
import { lostWarnings } from './lost-warnings.ts';
import { missingIds } from './missing-ids.ts';
import { reachWarnings } from './reach-warnings.ts';
import { renderedSample, renderSamples } from './rendered-samples.ts';
import { readGraph, requireWorkflow } from './workflow-row.ts';

const input = z.strictObject({
  workflowId: z.string().min(1).optional(),
  campaignId: z.string().min(1).optional(),
  graph: graphParam.optional(),
  simulateLeads: z.int().min(0).max(10_000).default(0),
  horizonDays: z.int().min(1).max(90).default(30),
  acceptanceRate: z
    .number()
    .min(0)
    .max(1)
    .default(0.3)
    .describe('Share of connection requests that the simulation takes as accepted.'),
  replyRate: z.number().min(0).max(1).default(0.1).describe('Share of messages that the simulation takes as answered.'),
  sampleLeadId: z.string().min(1).optional().describe('Render every template for this lead.'),
});
type Request = z.output<typeof input>;

/** Catalog record Forecast. */
const forecastRecord = z.object({
  perDay: z.array(
    z.object({ date: z.string(), enrolled: z.number(), actionsByKind: z.record(z.string(), z.number()) }),
  ),
  bottleneck: z.object({ networkAccountId: z.string(), action: z.string() }).nullable(),
  finishesOn: z.string().nullable(),
  credits: z.object({ expected: z.number(), worst: z.number() }),
  reviewItems: z.number(),
});

export const validateWorkflow = tool({
  name: 'svc_validate_workflow',
  domain: 'Workflows',
  title: 'Validate and simulate workflow',
  description:
    'Checks a stored or given graph and simulates it: errors, warnings, and a forecast of touches per day, finish date and credits under the real budgets; nothing is sent or stored. Next: svc_create_workflow or svc_update_workflow_status.',
  example: { input: { campaignId: '$campaignId', graph: EXAMPLE_WORKFLOW } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({
    valid: z.boolean(),
    errors: z.array(graphProblem),
    warnings: z.array(graphProblem),
    forecast: forecastRecord.nullable(),
    renderedSamples: z.array(renderedSample),
  }),
  async run(ctx, request) {
    const given = request.campaignId !== undefined && request.graph !== undefined;
    const partly = request.campaignId !== undefined || request.graph !== undefined;
    if ((request.workflowId !== undefined) === given || (request.workflowId !== undefined && partly)) {
      throw invalidInput('workflowId', 'give either workflowId, or campaignId and graph');
    }
    return ctx.tx(async (tx) => {
      const subject = await subjectOf(tx, request);
      const { compiled, warnings, ...found } = compileGraph(subject.graph, {
        inForce: request.workflowId !== undefined,
      });
      const errors = [...subject.problems, ...found.errors];
      const samples =
        compiled && request.sampleLeadId !== undefined
          ? await renderSamples(tx, compiled, request.sampleLeadId, {
              senders: subject.senders,
              now: ctx.clocks.product.now(),
            })
          : [];
      const now = ctx.clocks.product.now();
      const facts = await campaignFacts(tx, subject.campaignId);
      const accounts = compiled ? await sendingAccounts(tx, subject.senders, now) : [];
      const writerIsFree = !ctx.ai.billable || (await readAiEndpoint(tx, subject.workspaceId)) !== undefined;
      const forecast =
        compiled && request.simulateLeads > 0
          ? simulate(ctx, compiled, { ...facts, writerIsFree }, accounts, request)
          : null;
      const missing = compiled ? await missingIds(tx, subject.workspaceId, compiled) : [];
      const reach = compiled ? await reachWarnings(tx, subject, compiled) : [];
      const apart = await hoursWarnings(
        tx,
        { ...subject, workflowId: request.workflowId ?? null },
        accounts,
        facts.hours,
        now,
      );
      const gaps = compiled ? await gapWarnings(tx, subject.workspaceId, subject.campaignId, compiled) : [];
      const lost = compiled ? lostWarnings(compiled, request, request.simulateLeads) : [];
      const left = forecast === null ? [] : await accountsWarning(tx, subject.senders, accounts.length);
      return {
        valid: errors.length === 0,
        errors,
        warnings: [
          ...withoutTold(warnings, lost),
          ...lost,
          ...missing,
          ...gaps,
          ...(await inFlightWarnings(tx, request.workflowId)),
          ...reach,
          ...apart,
          ...left,
        ],
        forecast,
        renderedSamples: samples,
      };
    });
  },
});

type Problem = z.input<typeof graphProblem>;

/** What the compiler says of an outcome without an edge is told with its leads. */
function withoutTold(warnings: readonly Problem[], lost: readonly Problem[]): Problem[] {
  return warnings.filter(({ code, nodeIndex, message }) => {
    const begins = message.split(': its runs end here')[0] ?? '';
    return !lost.some((one) => one.code === code && one.nodeIndex === nodeIndex && one.message.startsWith(begins));
  });
}

interface Subject {
  workspaceId: string;
  campaignId: string;
  senders: Senders;
  graph: Parameters<typeof compileGraph>[0];
  /** A stored graph that was changed past the tools and not taken: the version before it is in force. */
  problems: z.input<typeof graphProblem>[];
}

async function subjectOf(tx: Tx, request: Request): Promise<Subject> {
  if (request.workflowId !== undefined) {
    const row = await requireWorkflow(tx, request.workflowId);
    const stored = await readGraph(tx, row);
    const graph = stored?.graph ?? { nodes: [], edges: [] };
    const { workspace_id: workspaceId, campaign_id: campaignId } = row;
    const named = [...row.network_account_ids, ...row.provider_account_ids];
    return {
      workspaceId,
      campaignId,
      senders: { workspaceId, named, networkNamed: row.network_account_ids.length > 0 },
      problems: row.graph_problem === null ? [] : [notTaken(row.graph_problem)],
      graph: graphOf({ nodes: graph.nodes as never, edges: graph.edges as never }),
    };
  }
  const campaign = await tx.row<{ id: string; workspace_id: string }>(
    'select id, workspace_id from campaign where id = $1 and deleted_at is null',
    [request.campaignId],
  );
  if (!campaign) throw notFound('campaign', request.campaignId ?? '');
  return {
    workspaceId: campaign.workspace_id,
    campaignId: campaign.id,
    senders: { workspaceId: campaign.workspace_id, named: [], networkNamed: false },
    problems: [],
    graph: graphOf(request.graph ?? {}),
  };
}

function notTaken(problem: string): z.input<typeof graphProblem> {
  const message = `The last change of the graph was not taken: ${problem} What is simulated is the version in force.`;
  return { nodeIndex: null, edgeIndex: null, code: 'not_taken', message };
}

/** The forecast uses the limits, hours and gaps of the real accounts. */
function simulate(
  ctx: ToolContext,
  graph: CompiledGraph,
  { hours, reviewMode, touchDays, writerIsFree }: CampaignFacts & { writerIsFree: boolean },
  accounts: readonly ForecastAccount[],
  request: Request,
): z.input<typeof forecastRecord> {
  return forecastGraph({
    graph,
    accounts,
    campaignHours: hours,
    reviewMode,
    touchDays,
    leads: request.simulateLeads,
    startAt: ctx.clocks.product.now(),
    horizonDays: request.horizonDays,
    acceptanceRate: request.acceptanceRate,
    replyRate: request.replyRate,
    writerIsFree,
  });
}
