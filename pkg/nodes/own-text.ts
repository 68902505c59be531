import type { CompiledNode } from '../domain/graph.ts';
import { ownTextLabel } from './own-text-label.ts';
import { nodeTypeOf } from './registry.ts';

/**
 * The ai:craft node that a send node with text mode `ai` stands for: its text is written, judged, proven and charged as one of that node.
 * Null: the node takes its text from elsewhere.
 */
export function ownTextNode(send: CompiledNode): CompiledNode | null {
  const type = nodeTypeOf(send.nodeType);
  const wanted = type.kind === 'effect' ? (type.writes?.(send.config as never) ?? null) : null;
  if (wanted === null) return null;
  const config = { channel: wanted.channel, instructions: wanted.instructions, requireFacts: 1 };
  return { ...send, nodeType: 'ai:craft', label: ownTextLabel(send.nodeId), config: config as never };
}
