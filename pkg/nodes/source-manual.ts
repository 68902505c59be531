import { noConfig } from './config-parts.ts';
import { defineNode } from './define.ts';

/** Feeds nothing by itself: leads come through svc_trigger_workflow. */
export const sourceManual = defineNode({
  nodeType: 'source:manual',
  kind: 'source',
  what: 'Feeds what svc_trigger_workflow enrols.',
  config: noConfig,
  configHint: {},
  outcomes: ['next'],
  defaultOutcome: 'next',
  feed: () => ({ from: 'manual' }),
});
