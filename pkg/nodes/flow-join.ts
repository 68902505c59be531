import { noConfig } from './config-parts.ts';
import { defineNode } from './define.ts';

/** Merges branches. */
export const flowJoin = defineNode({
  nodeType: 'flow:join',
  kind: 'pure',
  what: 'Waits for nothing, merges branches; only for readability.',
  config: noConfig,
  configHint: {},
  outcomes: ['next'],
  defaultOutcome: 'next',
  step: () => ({ kind: 'advance', outcome: 'next' }),
});
