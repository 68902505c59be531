import type { CompiledGraph } from '../../domain/graph.ts';
import { judgeSplit } from '../../domain/split-conclusion.ts';
import { type SplitConfig, type SplitSettings, splitConfigOf, splitSettings } from '../../domain/split-settings.ts';
import { thompsonWeights } from '../../domain/split-weights.ts';
import { branchesWithoutEffect, waysOfCompiled } from '../../nodes/branches-without-effect.ts';
import type { Tx } from '../../postgres/database.ts';
import { readFlows } from '../../store/runs/batch-facts.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import {
  type ArmCounts,
  countArms,
  readEarlierArms,
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

/**
 * Learns the shares of the workspace's bandits whose day has passed.
 * @param options.pace what earlier rounds know of how long outcomes take to count; absent: nothing
 * @returns how many learnt
 */
export async function learnSplits(
  tx: Tx,
  options: { workspaceId: string; now: number; cache: GraphCache; pace?: SourcePace },
): Promise<number> {
  const { workspaceId, now, cache, pace = new SourcePace() } = options;
  const flows = (await readFlows(tx, workspaceId, null)).filter((flow) => flow.active && flow.graphVersion > 0);
  let learnt = 0;
  for (const flow of flows) {
    const graph = await cache.get(tx, flow.id, flow.graphVersion);
    const splits = graph ? splitsOf(graph) : [];
    if (splits.length === 0) continue;
    const controls = byNode(await readSplits(tx, workspaceId, [flow.id]));
    for (const split of splits) {
      const name = `${flow.id}/${split.nodeId}`;
      const control = controls.get(name) ?? null;
      if (!isToLearn(split, control, now) || pace.rests(name)) continue;
      const silent = graph ? silentOf(graph, split) : [];
      const about = { workspaceId, workflowId: flow.id, nodeId: split.nodeId, now, silent };
      const settings = splitSettings(split.config, control);
      const counts = await pace.look(name, () => countArms(tx, about, settings, TELLING_RUNS));
      await writeLearnt(tx, workspaceId, {
        ...about,
        learnt: sharesFrom(split.config, settings, counts),
        from: control,
      });
      learnt += 1;
    }
  }
  return learnt;
}

/** Branches behind which nothing reaches a person. */
function silentOf(graph: CompiledGraph, { nodeId, config }: SplitNode): string[] {
  return branchesWithoutEffect({ nodeId, branches: config.branches }, graph.nodes, waysOfCompiled(graph));
}

/** Whether it is a bandit whose day has passed. */
function isToLearn({ config }: SplitNode, control: SplitRow | null, now: number): boolean {
  if (splitSettings(config, control).mode !== 'bandit' || control?.promoted) return false;
  return !control?.learntAt || now - control.learntAt >= LEARN_EVERY_MS;
}

/** Without a single matured outcome there is nothing to learn from: the shares stay as they are. */
function sharesFrom(
  config: SplitConfig,
  settings: SplitSettings,
  counts: readonly ArmCounts[],
): Readonly<Record<string, number>> {
  const arms = config.branches.map(({ name }) => {
    const known = counts.find((count) => count.branch === name);
    return { branch: name, matured: known?.matured ?? 0, successes: known?.successes ?? 0 };
  });
  if (arms.every((arm) => arm.matured === 0)) return settings.weights;
  return thompsonWeights(judgeSplit(arms, settings.minExposuresPerArm).arms, settings.minArmShare);
}

function byNode(rows: readonly SplitRow[]): Map<string, SplitRow> {
  return new Map(rows.map((row) => [`${row.workflowId}/${row.nodeId}`, row]));
}
