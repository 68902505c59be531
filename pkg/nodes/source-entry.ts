import { noConfig } from './config-parts.ts';
import { defineNode } from './define.ts';

/** Hidden start of every graph: counted in nodeCount, never written by callers. */
export const sourceEntry = defineNode({
  nodeType: 'source:entry',
  kind: 'source',
  what: 'Hidden start; one per graph, prepended by the platform.',
  config: noConfig,
  configHint: {},
  outcomes: ['next'],
  defaultOutcome: 'next',
  feed: () => ({ from: 'manual' }),
});
