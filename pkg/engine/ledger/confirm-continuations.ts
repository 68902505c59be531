import type { Tx } from '../../postgres/database.ts';
import { confirmSends, readSends, type SendRow } from '../../store/ledger/ledger.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import type { Confirmation, TakenRun } from '../loop/continuations.ts';

/** Commits the confirmations that a batch took, and returns the sends of its runs: what it confirmed is known and not read again. */
export async function confirmContinuations(
  tx: Tx,
  now: number,
  runs: readonly RunRow[],
  confirming: readonly TakenRun[],
): Promise<SendRow[]> {
  const taken = new Map(
    confirming.flatMap(({ runId, confirm }) => (confirm ? [[confirm.result.sendId, { runId, confirm }]] : [])),
  );
  const unsettled = runs.flatMap(({ sendId }) => (sendId !== null && !taken.has(sendId) ? [sendId] : []));
  const [confirmed, read] = await Promise.all([
    confirmSends(
      tx,
      now,
      confirming.flatMap(({ confirm }) => confirm?.result ?? []),
    ),
    readSends(tx, unsettled),
  ]);
  const sends = confirmed.flatMap(({ sendId, dispatchedAt }) => {
    const one = taken.get(sendId);
    taken.delete(sendId);
    return one ? [confirmedSend(one.runId, one.confirm, dispatchedAt, now)] : [];
  });
  // What it could not confirm was settled otherwise.
  return [...sends, ...read, ...(await readSends(tx, [...taken.keys()]))];
}

function confirmedSend(runId: string, { result, claim }: Confirmation, dispatchedAt: number, now: number): SendRow {
  const providerId = result.plain?.providerId ?? null;
  return {
    id: result.sendId,
    runId,
    nodeId: claim.nodeId,
    accountId: claim.accountId,
    action: claim.action,
    state: 'confirmed',
    outcome: result.outcome ?? null,
    error: null,
    body: claim.body,
    target: providerId === null ? claim.target : { ...claim.target, providerId },
    maybe: false,
    deadLetterState: null,
    dispatchedAt,
    settledAt: now,
  };
}
