import { z } from 'zod';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({ leadListId: recordId, maxPerDay: z.int().min(1).max(1000).default(25) });

/** Feeds a list of leads. */
export const sourceLeadList = defineNode<z.infer<typeof config>>({
  nodeType: 'source:lead_list',
  kind: 'source',
  what: 'Feeds a static or query list.',
  config,
  configHint: { leadListId: 'string!', maxPerDay: 'int 1..1000, default 25' },
  outcomes: ['next'],
  defaultOutcome: 'next',
  feed: (given) => ({ from: 'lead_list', ...given }),
});
