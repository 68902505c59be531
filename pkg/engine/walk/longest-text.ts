import { textLimit } from '../../domain/text-limits.ts';
import type { EffectNode, StepInput } from '../../nodes/node-type.ts';

/** Longest text that a node may send through the account that acts, characters; null without text. */
export function longestText(type: EffectNode<never>, input: StepInput): number | null {
  if (type.maxLength === null) return null;
  return Math.min(type.maxLength, textLimit(type.channel, input.account?.tier ?? null) ?? type.maxLength);
}
