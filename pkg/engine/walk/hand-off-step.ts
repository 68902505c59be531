import type { JsonObject } from '../../base/json.ts';
import type { CompiledNode } from '../../domain/graph.ts';
import type { HandoffNode, StepInput } from '../../nodes/node-type.ts';
import type { Tx } from '../../postgres/database.ts';
import { handOff } from '../../store/runs/hand-off.ts';
import { end, leave, logDone, wait } from './run-moves.ts';
import { type Advance, type AdvanceContext, closeAdvance } from './step.ts';

/** flow:handoff: the database is asked after the walk, in the same transaction. */
export function handOffStep(walk: Advance, context: AdvanceContext, input: StepInput, type: HandoffNode<never>): void {
  // Stands in case the database gives no answer for this run: a colleague's reply is being recorded there.
  wait(walk, 'duration', context.now + 60_000);
  walk.handOff = {
    node: input.node,
    request: {
      runId: walk.run.id,
      newRunId: context.newId(),
      workflowId: type.workflowId(input.node.config as never),
      facts: inherited(walk),
    },
  };
}

/** What the other workflow has to know to go on with the same voice. */
function inherited(walk: Advance): JsonObject {
  const { connected, connectedAt, requestedAt, touches, lastTouchAt, mail, mailBounced } = walk.facts;
  return JSON.parse(JSON.stringify({ connected, connectedAt, requestedAt, touches, lastTouchAt, mail, mailBounced }));
}

/** Asks for all runs that stand at a hand-off and lets them leave by the answer, before they are written back. */
export async function handOverAll(tx: Tx, now: number, advances: readonly Advance[]): Promise<void> {
  const asking = new Map(advances.flatMap((walk) => (walk.handOff ? [[walk.run.id, walk] as const] : [])));
  const requests = [...asking.values()].flatMap((walk) => (walk.handOff ? [walk.handOff.request] : []));
  for (const answer of await handOff(tx, now, requests)) {
    const walk = asking.get(answer.runId);
    if (!walk?.handOff) continue;
    const { node, request } = walk.handOff;
    if (answer.newRunId === null) leave(walk, now, node, 'refused', { reason: answer.refusal ?? '' });
    else handedOver(walk, now, node, { workflowId: request.workflowId, handedTo: answer.newRunId });
    closeAdvance(walk);
  }
}

/** The lead is in the other workflow now, and nowhere else. Source: catalog, flow:handoff ends here. */
function handedOver(walk: Advance, now: number, node: CompiledNode, data: Record<string, string>): void {
  logDone(walk, now, node, 'done', data);
  end(walk, now, 'completed', `ended after ${node.label} (done)`);
}
