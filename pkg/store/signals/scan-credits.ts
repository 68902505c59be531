import { creditsFor } from '../../domain/credits.ts';
import { decideSignal } from '../../domain/signals/decide-signal.ts';
import type { Tx } from '../../postgres/database.ts';
import { holdCredits, mustSettle, releaseHold } from '../credits/credits.ts';
import type { DayRoom } from './day-room.ts';
import type { Deciding, Undecided } from './deciding.ts';

/**
 * Holds what a batch may spend for people whom the agent found: as much as its limits leave, or as the workspace and the campaign have, which
 * is then a limit of the batch. What is spent is charged in the transaction that enqueues.
 * @returns the hold; null: nothing costs anything, or there are no credits
 */
export async function holdScan(
  tx: Tx,
  { agent, rules, scheduledRunId, campaignId, now, newId }: Deciding,
  open: readonly Undecided[],
  room: DayRoom,
): Promise<string | null> {
  const costly = open.filter(
    ({ facts, signal }) =>
      facts.cost > 0 && signal.leadId !== null && decideSignal(facts, rules).outcome === 'enqueued',
  );
  const [first] = costly;
  const units = costly.reduce((sum, { facts }) => sum + facts.cost, 0);
  const wanted = Math.min(creditsFor('signal_scan', units), room.leads, room.credits ?? Number.MAX_SAFE_INTEGER);
  if (first === undefined || wanted <= 0) return null;
  const hold = (amount: number) =>
    holdCredits(tx, {
      id: newId(),
      workspaceId: agent.workspaceId,
      amount,
      action: 'signal_scan',
      ...(campaignId === null ? {} : { campaignId }),
      idempotencyKey: `signal:${scheduledRunId}:${first.signal.signalId}`,
      inputHash: agent.id,
      now,
    });
  let answer = await hold(wanted);
  if (answer.kind === 'short' || answer.kind === 'over_budget') {
    const credits = Math.max(0, answer.available);
    room.before.credits = credits;
    room.credits = credits;
    if (credits === 0) return null;
    answer = await hold(credits);
  }
  if (answer.kind !== 'held') throw new Error(`the credits of a batch are ${answer.kind}`);
  return answer.holdId;
}

/** Charges for those who were enqueued; the rest goes back. */
export async function settleScan(
  tx: Tx,
  holdId: string | null,
  open: readonly Undecided[],
  now: number,
): Promise<void> {
  if (holdId === null) return;
  const units = open.reduce((sum, { runId, facts }) => (runId === null ? sum : sum + facts.cost), 0);
  const credits = creditsFor('signal_scan', units);
  if (credits === 0) return releaseHold(tx, holdId, now, 'nobody was enqueued');
  await mustSettle(tx, holdId, credits, now, 'a batch');
}
