import type { BudgetAction } from '../domain/actions.ts';
import type { BusinessHours } from '../domain/business-hours.ts';
import { creditsFor } from '../domain/credits.ts';
import { type FlowBranch, type FlowNode, type FlowSource, type Forecast, forecast } from '../domain/forecast.ts';
import type { ForecastAccount } from '../domain/forecast-account.ts';
import type { CompiledGraph, CompiledNode } from '../domain/graph.ts';
import type { ReviewMode } from '../domain/vocabulary.ts';
import { nextSendNode } from './next-send.ts';
import type { AnyNodeType } from './node-type.ts';
import { outcomeShares, type Rates } from './outcome-shares.ts';
import { ownTextNode } from './own-text.ts';
import { nodeTypeOf } from './registry.ts';

export interface ForecastRequest extends Rates {
  graph: CompiledGraph;
  /** The accounts that would send; none forecasts a workflow that cannot act. */
  accounts: readonly ForecastAccount[];
  campaignHours: BusinessHours | null;
  reviewMode: ReviewMode;
  leads: number;
  /** Epoch ms, product time. */
  startAt: number;
  horizonDays: number;
  /** Days between two touches of a person. */
  touchDays: number;
  /** Texts of the writer in use cost nothing. */
  writerIsFree: boolean;
}

/** Feed of a graph without a source node; catalog `source:campaign_pool`. */
const POOL_PER_DAY = 25;
/** Whether the workspace's or campaign's review mode holds this send; one behind a review node was approved there. */
function heldByMode(node: CompiledNode, type: AnyNodeType, mode: ReviewMode, first: boolean): boolean {
  if (type.kind !== 'effect' || !type.reviewable || mode === 'off') return false;
  if (mode === 'ai_only') return type.usesAi(node.config as never);
  return mode === 'all' || first;
}

function isReviewable(node: CompiledNode): boolean {
  const type = nodeTypeOf(node.nodeType);
  return type.kind === 'effect' && type.reviewable;
}

/** Sends that are nobody's second: no reviewable send leads to them. */
function behindSends(graph: CompiledGraph): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = graph.nodes.filter(isReviewable).flatMap((node) => [...node.next.values()]);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(graph.byId.get(id)?.next.values() ?? []));
  }
  return seen;
}

/** What a call costs at most, as if everything that it asks for were found. */
function creditsOf(node: CompiledNode, type: AnyNodeType, { writerIsFree }: ForecastRequest): number {
  if (ownTextNode(node) !== null) return writerIsFree ? 0 : creditsFor('ai_craft', 1);
  if (type.kind !== 'call' || (writerIsFree && type.billable === 'ai_craft')) return 0;
  return type.price(node.config as never)?.credits ?? 0;
}

function flowOf(request: ForecastRequest): FlowNode[] {
  const { graph } = request;
  const reviews = graph.nodes.filter((node) => node.nodeType === 'flow:review');
  const approved = new Set(reviews.map((node) => nextSendNode(graph, node.nodeId)?.nodeId));
  const later = behindSends(graph);
  return graph.nodes.map((node): FlowNode => {
    const type = nodeTypeOf(node.nodeType);
    const spends: readonly BudgetAction[] = type.kind === 'effect' ? type.budgets(node.config as never) : [];
    const branches = outcomeShares(node, type, request).map(([outcome, share, days]): FlowBranch => {
      const next = node.next.get(outcome);
      return { share, days, to: next === undefined ? null : (graph.byId.get(next)?.index ?? null) };
    });
    const held = !approved.has(node.nodeId) && heldByMode(node, type, request.reviewMode, !later.has(node.nodeId));
    const until = (node.config as { untilTime?: number }).untilTime ?? null;
    return {
      spends,
      branches,
      notBefore: until,
      makesReviewItem: held || type.kind === 'review',
      credits: creditsOf(node, type, request),
    };
  });
}

function sourcesOf(graph: CompiledGraph): FlowSource[] {
  if (graph.sources.length === 0) {
    return [{ to: graph.byId.get(graph.entryNodeId)?.index ?? 0, maxPerDay: POOL_PER_DAY }];
  }
  return graph.sources.map((node) => {
    const type = nodeTypeOf(node.nodeType);
    const feed = type.kind === 'source' ? type.feed(node.config as never) : null;
    return { to: node.index, maxPerDay: feed && 'maxPerDay' in feed ? feed.maxPerDay : null };
  });
}

/** The forecast of svc_validate_workflow. Assumptions: see the constants above and `outcomeShares`. */
export function forecastGraph(request: ForecastRequest): Forecast {
  const { accounts, campaignHours, leads, touchDays, startAt, horizonDays } = request;
  const nodes = flowOf(request);
  const sources = sourcesOf(request.graph);
  return forecast({ nodes, sources, accounts, campaignHours, leads, touchDays, startAt, horizonDays });
}
