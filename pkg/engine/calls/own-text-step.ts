import type { CompiledNode } from '../../domain/graph.ts';
import { ownTextNode } from '../../nodes/own-text.ts';
import { ownTextLabel } from '../../nodes/own-text-label.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import { wait } from '../walk/run-moves.ts';
import type { Advance, AdvanceContext } from '../walk/step.ts';
import { stepInput } from '../walk/step-input.ts';
import { askOutside, isOpen, playbookIn } from './call-step.ts';

const MINUTE_MS = 60_000;

/** `ready`: the node has its text, or needs none; `waits`: it is being written; else why there is none. */
export type OwnTextState = 'ready' | 'waits' | { outcome: 'missing_data' | 'failed'; reason: string };

/**
 * Has the text of a send node with text mode `ai` written by the way of ai:craft, once for each visit of the run, before it is shown to
 * a person or sent. @param accountId who sends it
 */
export function ownTextStep(
  walk: Advance,
  context: AdvanceContext,
  send: CompiledNode,
  accountId: string | null,
): OwnTextState {
  const node = ownTextNode(send);
  const { run, facts } = walk;
  if (node === null || facts.crafted?.[node.label] !== undefined || facts.approved?.[send.nodeId] !== undefined)
    return 'ready';
  const type = nodeTypeOf(node.nodeType);
  if (type.kind !== 'call') throw new Error(`${node.nodeType} asks nobody`);
  const input = stepInput(walk, context, node, accountId);
  const call = run.sendId ? context.snap.calls.get(run.sendId) : undefined;
  if (call && isOpen(call)) {
    wait(walk, 'duration', context.now + MINUTE_MS);
    return 'waits';
  }
  if (call?.state === 'settled' && call.outcome !== 'cancelled') {
    run.sendId = null;
    if (call.outcome !== 'done')
      return { outcome: call.outcome === 'failed' ? 'failed' : 'missing_data', reason: call.error ?? 'no_facts' };
    Object.assign(facts, type.take?.('done', call.result, input, node.config as never)?.facts);
    facts.ownTexts = {
      ...facts.ownTexts,
      [send.nodeId]: { playbook: playbookIn(call.result), credits: call.credits },
    };
    return 'ready';
  }
  if (call?.state !== 'claimed') run.sendId = null;
  const ask = type.ask(input, node.config as never);
  if (!('call' in ask)) return { outcome: 'missing_data', reason: ask.reason };
  askOutside(walk, context, { input, type, ask });
  return 'waits';
}

/** What the history tells of the text that was written for a node, when it was sent; the texts themselves stand in the run's facts. */
export function ownTextTold({ facts }: Advance, nodeId: string): Record<string, string | number> {
  const own = facts.ownTexts?.[nodeId];
  if (!own) return {};
  const { playbook, credits } = own;
  return { crafted: ownTextLabel(nodeId), playbook, ...(credits > 0 ? { credits } : {}) };
}
