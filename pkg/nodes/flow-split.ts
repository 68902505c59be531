import { z } from 'zod';
import { pickArm } from '../domain/split-arm.ts';
import { defineNode } from './define.ts';

const branch = z.strictObject({
  name: z.string().min(1).max(60),
  weight: z.number().min(0).max(1_000_000).default(1),
});
const config = z
  .strictObject({
    branches: z.array(branch).min(2).max(8),
    mode: z.enum(['fixed', 'bandit']).default('fixed'),
    metric: z.enum(['accepted', 'replied', 'positive_reply', 'meeting']).default('replied'),
    minExposuresPerArm: z.int().min(1).max(1_000_000).default(50),
    minArmShare: z.number().min(0).max(0.5).default(0.05),
    maturityHours: z.int().min(1).max(8760).default(168),
  })
  .refine((given) => new Set(given.branches.map((one) => one.name)).size === given.branches.length, {
    message: 'names must differ',
    path: ['branches'],
  })
  .refine((given) => given.branches.some((one) => one.weight > 0), {
    message: 'at least one weight must be above 0',
    path: ['branches'],
  });

/** Splits leads over branches. A remembered arm that an edit removed is drawn again. */
export const flowSplit = defineNode<z.infer<typeof config>>({
  nodeType: 'flow:split',
  kind: 'pure',
  what: 'Splits leads over branches; the arm is fixed per lead by hash, so a retry or restart cannot move it.',
  config,
  configHint: {
    branches: '[{name, weight}] 2..8',
    mode: 'fixed|bandit, default fixed',
    metric: 'accepted|replied|positive_reply|meeting, default replied',
    minExposuresPerArm: 'int, default 50',
    minArmShare: 'number, default 0.05',
    maturityHours: 'int, default 168',
  },
  outcomes: (given) => given.branches.map((one) => one.name),
  defaultOutcome: null,
  step: (input, given) => {
    const remembered = Object.hasOwn(input.arms, input.node.nodeId) ? input.arms[input.node.nodeId] : undefined;
    const known = given.branches.find((one) => one.name === remembered)?.name;
    const shares = input.splitShares;
    const branches = given.branches.map(({ name, weight }) => ({ name, weight: shares?.[name] ?? weight }));
    const arm = known ?? pickArm(branches, input.lead.leadId, input.node.nodeId, input.workflowId);
    return { kind: 'advance', outcome: arm, arm };
  },
});
