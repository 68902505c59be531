import type { CompiledNode } from '../../domain/graph.ts';
import type { EffectNode } from '../../nodes/node-type.ts';
import { pickMailbox } from '../mail/pick-mailbox.ts';
import type { Advance, AdvanceContext } from '../walk/step.ts';
import { isSenderOf, pickAccount } from './pick-account.ts';

/** Who acts for this node: the run's account, which it keeps; for mail the lead's mailbox. Null when none is usable. */
export function senderOf(
  walk: Advance,
  context: AdvanceContext,
  node: CompiledNode,
  type: EffectNode<never>,
): string | null {
  if (type.channel === 'mail')
    return pickMailbox(walk, context, node.nodeId, type.rotates?.(node.config as never) ?? false);
  walk.run.accountId = chooseAccount(walk, context);
  return walk.run.accountId;
}

/** The run's account when it has already touched the person, or while it is usable and sends for the workflow; else a new choice. */
function chooseAccount(walk: Advance, context: AdvanceContext): string | null {
  const { run, facts } = walk;
  const current = run.accountId ? context.snap.accounts.get(run.accountId) : undefined;
  if (current && ((facts.touches ?? 0) > 0 || facts.requestedAt !== undefined)) return current.id;
  if (current?.usable && isSenderOf(context.snap.flows.get(run.workflowId), current.id)) return current.id;
  return pickAccount(run, context);
}
