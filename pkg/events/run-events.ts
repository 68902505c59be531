import { z } from 'zod';
import type { EventDefinition } from './event-definition.ts';
import { count, id, OF_RUN, RUN_SAMPLE } from './ids.ts';

const scope = 'workflows:read';

/** What happens to runs, to their drafts and to splits. */
export const RUN_EVENTS = {
  'run.started': {
    says: 'A lead began a workflow.',
    deed: 'a lead is enrolled or handed over',
    scope,
    data: z.strictObject({ ...OF_RUN, graphVersion: count }),
    sample: { ...RUN_SAMPLE, nodeId: null, graphVersion: 3 },
  },
  'run.step_done': {
    says: 'A run left a node.',
    deed: 'a run leaves a node',
    scope,
    data: z.strictObject({ ...OF_RUN, outcome: z.string(), nodeType: z.string() }),
    sample: { ...RUN_SAMPLE, outcome: 'done', nodeType: 'linkedin:view_profile' },
  },
  'run.blocked': {
    says: 'A run waits for something that a person has to mend.',
    deed: 'an action is refused for a fault of its account',
    scope,
    data: z.strictObject({ ...OF_RUN, reason: z.string() }),
    sample: { ...RUN_SAMPLE, reason: 'account_unhealthy' },
  },
  'run.completed': {
    says: 'A run ended.',
    deed: 'a run ends other than by a fault',
    scope,
    data: z.strictObject({ ...OF_RUN, state: z.string(), reason: z.string() }),
    sample: { ...RUN_SAMPLE, state: 'completed', reason: 'end of the workflow' },
  },
  'run.failed': {
    says: 'A run ended by a fault.',
    deed: 'a run ends by a fault',
    scope,
    data: z.strictObject({ ...OF_RUN, reason: z.string() }),
    sample: { ...RUN_SAMPLE, reason: 'the graph has no such node any more' },
  },
  'review.pending': {
    says: 'A draft waits for a person.',
    deed: 'a run comes to a review',
    scope,
    data: z.strictObject({ ...OF_RUN, reviewItemId: id }),
    sample: { ...RUN_SAMPLE, reviewItemId: 'e1b7c5a0-3a84-4c63-8a2e-6c2d1f9b4a55' },
  },
  'review.decided': {
    says: 'A person decided on a draft.',
    deed: 'a reviewer decides',
    scope,
    data: z.strictObject({ ...OF_RUN, reviewItemId: id, decision: z.string() }),
    sample: { ...RUN_SAMPLE, reviewItemId: 'e1b7c5a0-3a84-4c63-8a2e-6c2d1f9b4a55', decision: 'approve' },
  },
  'review.expired': {
    says: 'A draft waited too long, and its run stopped.',
    deed: 'a draft expires',
    scope,
    data: z.strictObject({ ...OF_RUN, reviewItemId: id }),
    sample: { ...RUN_SAMPLE, reviewItemId: 'e1b7c5a0-3a84-4c63-8a2e-6c2d1f9b4a55' },
  },
  'split.winner_ready': {
    says: 'A split has a winner.',
    deed: 'a split concludes',
    scope,
    data: z.strictObject({ workflowId: id, campaignId: id, nodeId: id, winner: z.string() }),
    sample: { workflowId: 'intro-sequence', campaignId: 'spring-launch', nodeId: 'split', winner: 'short' },
  },
} as const satisfies Record<string, EventDefinition>;
