import type { Draft, StepInput } from './node-type.ts';
import { ownTextLabel } from './own-text-label.ts';

/** The text that was written for this send node (text mode `ai`). */
export function ownDraft({ facts, node }: Pick<StepInput, 'facts' | 'node'>): Draft {
  const text = facts.crafted?.[ownTextLabel(node.nodeId)];
  return text === undefined ? { missing: ['text'] } : { text };
}
