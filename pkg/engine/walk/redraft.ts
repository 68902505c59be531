import type { CompiledNode } from '../../domain/graph.ts';
import { craftNodesOf } from '../../nodes/craft-nodes.ts';
import { ownTextLabel } from '../../nodes/own-text-label.ts';
import type { ReviewRow } from '../../store/reviews/review-items.ts';
import { goTo } from './run-moves.ts';
import type { Advance, AdvanceContext } from './step.ts';

/** Whether a person rejected the draft so that another one is written. */
export function isToRedraft({ state, onReject }: ReviewRow): boolean {
  return state === 'rejected' && onReject === 'recraft';
}

/**
 * Lets the text of `send` be written anew after its draft was rejected. The ai:craft nodes whose texts it takes write again, and
 * the run comes back to `node` from there, whatever lies between. True: the run has gone there; false: it takes none, so that
 * the draft is made anew here.
 */
export function redraft(
  walk: Advance,
  { graph, now }: AdvanceContext,
  node: CompiledNode,
  send: CompiledNode,
  { id, reason }: ReviewRow,
): boolean {
  const { facts } = walk;
  walk.closedReviews.push({ id, state: 'redrafted' });
  const crafts = craftNodesOf(graph, send);
  const redrafts = { ...facts.redrafts };
  for (const { nodeId } of [...crafts, send]) {
    redrafts[nodeId] = { times: (redrafts[nodeId]?.times ?? 0) + 1, reason: reason ?? '' };
  }
  facts.redrafts = redrafts;
  const { [ownTextLabel(send.nodeId)]: _rejected, ...texts } = facts.crafted ?? {};
  if (facts.crafted) facts.crafted = texts;
  const [first] = crafts;
  if (!first) return false;
  facts.redrafting = { back: node.nodeId, crafts: crafts.map((craft) => craft.nodeId) };
  goTo(walk, now, first.nodeId);
  return true;
}
