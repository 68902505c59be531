import type { CompiledGraph } from '../../domain/graph.ts';
import { judgeSplit } from '../../domain/split-conclusion.ts';
import type { ArmOutcomes } from '../../domain/split-posterior.ts';
import { type SplitConfig, type SplitSettings, splitConfigOf, splitSettings } from '../../domain/split-settings.ts';
import { thompsonWeights } from '../../domain/split-weights.ts';
import { branchesWithoutEffect, waysOfCompiled } from '../../nodes/branches-without-effect.ts';
import type { Tx } from '../../postgres/database.ts';
import { type FlowRow, readFlows } from '../../store/runs/batch-facts.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import {
  type ArmCounts,
  countArms,
  noteJudged,
  readEarlierArms,
  readJudgements,
  readSplits,
  type SplitRow,
  TELLING_RUNS,
  writeLearnt,
} from '../../store/runs/splits.ts';
import { SourcePace } from '../sources/source-pace.ts';
import type { GraphCache } from './graph-cache.ts';

/** Shares are learnt anew this often, product time. Source: outreach anchors 3.10. */
const LEARN_EVERY_MS = 86_400_000;

/** What splits of a batch need besides their config. */
export interface SplitFacts {
  /** `<workflow>/<version>/<node>` -> shares in force by branch. */
  shares: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** Run -> arms that its lead took in an earlier run of the same workflow. */
  earlier: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

interface SplitNode {
  nodeId: string;
  config: SplitConfig;
}

/** Split nodes of a graph. */
function splitsOf(graph: CompiledGraph): SplitNode[] {
  return graph.nodes.flatMap((node) => {
    const config = splitConfigOf(node);
    return config ? [{ nodeId: node.nodeId, config }] : [];
  });
}

/** Loads what the splits of these graphs need; graphs without a split cost nothing. `graphs`: `<workflow>/<version>`. */
export async function loadSplits(
  tx: Tx,
  workspaceId: string,
  runs: readonly RunRow[],
  graphs: ReadonlyMap<string, CompiledGraph>,
): Promise<SplitFacts> {
  const found = [...graphs].flatMap(([key, graph]) =>
    splitsOf(graph).map((split) => ({ ...split, key, workflowId: key.slice(0, key.lastIndexOf('/')) })),
  );
  if (found.length === 0) return { shares: new Map(), earlier: new Map() };
  const byWorkflow = Map.groupBy(found, (split) => split.workflowId);
  const controls = byNode(await readSplits(tx, workspaceId, [...byWorkflow.keys()]));
  const shares = new Map(
    found.map(({ key, workflowId, nodeId, config }) => [
      `${key}/${nodeId}`,
      splitSettings(config, controls.get(`${workflowId}/${nodeId}`) ?? null).weights,
    ]),
  );
  const isUndrawn = ({ workflowId, arms }: RunRow): boolean =>
    byWorkflow.get(workflowId)?.some((split) => arms?.[split.nodeId] === undefined) ?? false;
  const fresh = runs.filter(isUndrawn);
  const earlier = fresh.length === 0 ? [] : await readEarlierArms(tx, workspaceId, fresh);
  return { shares, earlier: new Map(earlier.map((one) => [one.runId, one.arms])) };
}

/** A workspace's round over its splits. */
interface SplitRound {
  workspaceId: string;
  now: number;
  cache: GraphCache;
  /** What earlier rounds know of how long outcomes take to count; absent: nothing. */
  pace?: SourcePace;
}

/**
 * Judges the workspace's splits whose day has passed: bandits learn their shares, and a winner is told once.
 * @returns how many learnt
 */
export async function learnSplits(tx: Tx, round: SplitRound): Promise<number> {
  const { workspaceId, cache, pace = new SourcePace() } = round;
  const flows = (await readFlows(tx, workspaceId, null)).filter((flow) => flow.active && flow.graphVersion > 0);
  let learnt = 0;
  for (const flow of flows) {
    const graph = await cache.get(tx, flow.id, flow.graphVersion);
    const splits = graph ? splitsOf(graph) : [];
    if (!graph || splits.length === 0) continue;
    const controls = byNode(await readSplits(tx, workspaceId, [flow.id]));
    const judged = new Map((await readJudgements(tx, workspaceId, [flow.id])).map((one) => [one.nodeId, one.judgedAt]));
    for (const split of splits) {
      const name = `${flow.id}/${split.nodeId}`;
      const control = controls.get(name) ?? null;
      if (!isToJudge(split, control, judged.get(split.nodeId) ?? null, round.now) || pace.rests(name)) continue;
      const counting = { name, pace, silent: silentOf(graph, split) };
      if (await judge(tx, round, { flow, split, control }, counting)) learnt += 1;
    }
  }
  return learnt;
}

/** @returns whether it learnt: who shares by fixed weights does not */
async function judge(
  tx: Tx,
  { workspaceId, now }: SplitRound,
  { flow, split, control }: { flow: FlowRow; split: SplitNode; control: SplitRow | null },
  { name, pace, silent }: { name: string; pace: SourcePace; silent: string[] },
): Promise<boolean> {
  const { nodeId, config } = split;
  const about = { workspaceId, workflowId: flow.id, nodeId, now, silent };
  const settings = splitSettings(config, control);
  const counts = await pace.look(name, () => countArms(tx, about, settings, TELLING_RUNS));
  const arms = outcomesOf(config, counts);
  const learns = settings.mode === 'bandit';
  if (learns) await writeLearnt(tx, workspaceId, { ...about, learnt: sharesFrom(settings, arms), from: control });
  const { callable, recommended } = judgeSplit(arms, settings.minExposuresPerArm);
  const { campaignId } = flow;
  const judged = { workspaceId, campaignId, workflowId: flow.id, nodeId, since: settings.since, now };
  if (!learns || callable) await noteJudged(tx, judged, callable ? recommended : null);
  return learns;
}

/** Branches behind which nothing reaches a person. */
function silentOf(graph: CompiledGraph, { nodeId, config }: SplitNode): string[] {
  return branchesWithoutEffect({ nodeId, branches: config.branches }, graph.nodes, waysOfCompiled(graph));
}

/** Whether its day has passed. Who promoted or paused a split decided about it. */
function isToJudge({ config }: SplitNode, control: SplitRow | null, judgedAt: number | null, now: number): boolean {
  const { mode } = splitSettings(config, control);
  if (mode === 'paused' || control?.promoted) return false;
  const last = mode === 'bandit' ? control?.learntAt : judgedAt;
  return !last || now - last >= LEARN_EVERY_MS;
}

/** Outcomes of all branches, in their order. */
function outcomesOf(config: SplitConfig, counts: readonly ArmCounts[]): ArmOutcomes[] {
  return config.branches.map(({ name }) => {
    const known = counts.find((count) => count.branch === name);
    return { branch: name, matured: known?.matured ?? 0, successes: known?.successes ?? 0 };
  });
}

/** Without a single matured outcome there is nothing to learn from: the shares stay as they are. */
function sharesFrom(settings: SplitSettings, arms: readonly ArmOutcomes[]): Readonly<Record<string, number>> {
  if (arms.every((arm) => arm.matured === 0)) return settings.weights;
  return thompsonWeights(judgeSplit(arms, settings.minExposuresPerArm).arms, settings.minArmShare);
}

function byNode(rows: readonly SplitRow[]): Map<string, SplitRow> {
  return new Map(rows.map((row) => [`${row.workflowId}/${row.nodeId}`, row]));
}
