import { icpScore } from '../../domain/icp-score.ts';
import { explainSignals, type ScoredSignal, type SignalRules } from '../../domain/signal-score.ts';
import type { LeadFacts, Rescored } from '../../nodes/node-type.ts';
import type { IcpRow } from '../../store/scoring/lead-scores.ts';

/**
 * What a lead scores now under each ICP of its campaign, as a scoring pass would; the best one counts. Without an ICP there
 * is only signals.
 */
export function rescore(
  lead: LeadFacts,
  icps: readonly IcpRow[],
  signals: { known: readonly ScoredSignal[]; rules: SignalRules },
  now: number,
): Rescored {
  const bySignals = explainSignals(signals.known, now, signals.rules);
  const scores = icps.map((icp) => {
    const { score, reasons } = icpScore(lead, icp);
    return { icpId: icp.id, icp: score, reasons: [...reasons, ...bySignals.reasons] };
  });
  const best = Math.max(0, ...scores.map((one) => one.icp));
  return { total: best + bySignals.score, icp: best, signals: bySignals.score, scores };
}
