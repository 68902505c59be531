import { z } from 'zod';
import { CONDITION_OPS, conditionHolds, problemOfRule } from '../domain/condition.ts';
import { conditionFact } from './condition-facts.ts';
import { defineNode } from './define.ts';

const scalar = z.union([z.string().max(500), z.number(), z.boolean()]);
const rule = z
  .strictObject({
    field: z.string().min(1).max(100),
    op: z.enum(CONDITION_OPS),
    value: z.union([scalar, z.array(z.union([z.string().max(500), z.number()])).max(200)]).optional(),
  })
  .superRefine((given, context) => {
    const message = problemOfRule(given);
    if (message) context.addIssue({ code: 'custom', message, input: given });
  });
const config = z.strictObject({ match: z.enum(['all', 'any']).default('all'), rules: z.array(rule).min(1).max(50) });

/** Branches on facts about lead, run or conversation. */
export const flowCondition = defineNode<z.infer<typeof config>>({
  nodeType: 'flow:condition',
  kind: 'pure',
  what: 'Branches on facts about lead, run or conversation.',
  config,
  configHint: {
    match: 'all|any, default all',
    rules: '[{field, op: eq|neq|in|not_in|contains|gt|gte|lt|lte|exists|not_exists|within_days, value}]',
    fields:
      'lead.*, score.total, score.icp, score.signals, run.connected, run.replied, run.replyClass, run.daysSinceLastTouch, signal.<type>, company.*, account.tier (names for rules[].field, not a key of its own)',
  },
  outcomes: ['true', 'false'],
  defaultOutcome: 'true',
  step: (input, given) => {
    const holds = conditionHolds(given.match, given.rules, (field) => conditionFact(input, field), input.now);
    return { kind: 'advance', outcome: String(holds) };
  },
});
