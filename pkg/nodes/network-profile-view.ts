import { noConfig } from './config-parts.ts';
import { defineNode } from './define.ts';

/** Views the profile. Harmless: when nobody can know whether it happened, the run goes on. */
export const networkProfileView = defineNode({
  nodeType: 'network:profile_view',
  kind: 'effect',
  what: 'Views the profile.',
  config: noConfig,
  configHint: {},
  outcomes: ['done', 'failed'],
  defaultOutcome: 'done',
  budgets: () => ['profile_view'],
  sendOnce: 'once_per_node',
  reviewable: false,
  channel: 'profile',
  precheck: () => null,
  draft: () => null,
  usesAi: () => false,
  maxLength: null,
  confirmedOutcome: 'done',
  refusedOutcome: () => 'failed',
});
