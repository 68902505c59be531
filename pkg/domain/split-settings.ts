import { z } from 'zod';
import type { SplitBranch } from './split-arm.ts';

export const SPLIT_METRICS = ['accepted', 'replied', 'positive_reply', 'meeting'] as const;
export type SplitMetric = (typeof SPLIT_METRICS)[number];
export const SPLIT_MODES = ['fixed', 'bandit', 'paused'] as const;
export type SplitMode = (typeof SPLIT_MODES)[number];

/** A split node's own config, as its type's schema leaves it. */
export interface SplitConfig {
  branches: readonly SplitBranch[];
  mode: 'fixed' | 'bandit';
  metric: SplitMetric;
  minExposuresPerArm: number;
  minArmShare: number;
  maturityHours: number;
}

/** What a person set over the config, and what was learnt; null: the config counts. */
export interface SplitControl {
  mode: SplitMode | null;
  metric: SplitMetric | null;
  /** branch -> share. */
  weights: Readonly<Record<string, number>> | null;
  minExposures: number | null;
  minArmShare: number | null;
  maturityHours: number | null;
  promoted: string | null;
  /** branch -> share. */
  learnt: Readonly<Record<string, number>> | null;
  /** Epoch ms UTC, product time. */
  learntAt: number | null;
  /** Exposures before it do not count; epoch ms UTC, product time. */
  since: number;
}

/** The settings in force. */
export interface SplitSettings extends Omit<SplitConfig, 'mode' | 'branches'> {
  mode: SplitMode;
  /** Shares of all branches, adding up to 1. */
  weights: Readonly<Record<string, number>>;
  since: number;
}

const stored = z.object({
  branches: z.array(z.object({ name: z.string(), weight: z.number().default(1) })).min(2),
  mode: z.enum(['fixed', 'bandit']).default('fixed'),
  metric: z.enum(SPLIT_METRICS).default('replied'),
  minExposuresPerArm: z.number().default(50),
  minArmShare: z.number().default(0.05),
  maturityHours: z.number().default(168),
});

/** Config of a stored split node; undefined when it is none. */
export function splitConfigOf(node: { nodeType: string; config: unknown }): SplitConfig | undefined {
  if (node.nodeType !== 'flow:split') return undefined;
  const parsed = stored.safeParse(node.config);
  return parsed.success ? parsed.data : undefined;
}

/**
 * What counts now: a promoted branch gets everybody; learnt shares while learning, and kept while paused; shares that a
 * person set; else the config's weights. Branches that an edit added or removed since fall back to the config's weights.
 */
export function splitSettings(config: SplitConfig, control: SplitControl | null): SplitSettings {
  const mode = control?.mode ?? config.mode;
  const names = config.branches.map((branch) => branch.name);
  return {
    mode,
    metric: control?.metric ?? config.metric,
    minExposuresPerArm: control?.minExposures ?? config.minExposuresPerArm,
    minArmShare: control?.minArmShare ?? config.minArmShare,
    maturityHours: control?.maturityHours ?? config.maturityHours,
    since: control?.since ?? 0,
    weights: sharesInForce(mode, names, control) ?? configShares(config.branches),
  };
}

function sharesInForce(
  mode: SplitMode,
  names: readonly string[],
  control: SplitControl | null,
): Record<string, number> | undefined {
  if (!control) return undefined;
  const { promoted, learnt, weights } = control;
  if (promoted !== null && names.includes(promoted))
    return Object.fromEntries(names.map((name) => [name, name === promoted ? 1 : 0]));
  const shares = mode === 'fixed' ? weights : (learnt ?? weights);
  const same =
    shares && names.length === Object.keys(shares).length && names.every((name) => Object.hasOwn(shares, name));
  return same ? { ...shares } : undefined;
}

function configShares(branches: readonly SplitBranch[]): Record<string, number> {
  const total = branches.reduce((sum, branch) => sum + branch.weight, 0);
  return Object.fromEntries(
    branches.map((branch) => [branch.name, total > 0 ? branch.weight / total : 1 / branches.length]),
  );
}
