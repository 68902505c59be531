import { icpScore } from '../domain/icp-score.ts';
import { signalScore } from '../domain/signal-score.ts';
import type { LeadFacts, Rescored } from '../nodes/node-type.ts';
import type { IcpRow } from '../store/lead-scores.ts';

/** What a lead scores now under each ICP of its campaign; the best one counts. Without an ICP there is only signals. */
export function rescore(
  lead: LeadFacts,
  icps: readonly IcpRow[],
  signals: readonly { type: string; occurredAt: number }[],
  now: number,
): Rescored {
  const bySignals = signalScore(signals, now);
  const scores = icps.map((icp) => {
    const { score, reasons } = icpScore(lead, icp);
    return { icpId: icp.id, icp: score, reasons };
  });
  const best = Math.max(0, ...scores.map((one) => one.icp));
  return { total: best + bySignals, icp: best, signals: bySignals, scores };
}
