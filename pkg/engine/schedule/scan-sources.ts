import { withDeadline } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SourceLook } from '../../providers/site/site-reader.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { readAgent } from '../../store/signals/signal-agents.ts';
import { dueSource, type SignalSource, sourcesOf } from '../../store/signals/signal-sources.ts';
import type { EngineDeps } from '../engine-deps.ts';

/** Real ms that all requests to one source may take together. */
const WITHIN_MS = 60_000;
/** Types of signals that feeds and sites tell of. */
export const TOLD_BY_SOURCES = ['funding_round', 'headcount_growth'] as const;

/** What a look at the next source came to; `unsourced`: why the run looks at no other. */
export type SourceScan =
  | { kind: 'source'; source: SignalSource; look: SourceLook }
  | { kind: 'unsourced'; why: string };

/**
 * Looks at the next feed or page in which an agent looks for news of companies and whose time has come. A source that fails is a fault of that
 * source, and the run goes on with the next one.
 */
export async function scanSources(deps: EngineDeps, run: ScheduledRun): Promise<SourceScan> {
  const { claim, clock, outside } = deps;
  const plan = await claim.tx(async (tx): Promise<{ why: string } | { source: SignalSource }> => {
    const agent = await readAgent(tx, run.scheduleId);
    if (!agent) return { why: 'the agent is gone' };
    if (!agent.signalTypes.some((type) => TOLD_BY_SOURCES.some((told) => told === type)))
      return { why: 'no type of the agent is told by feeds and sites' };
    const source = await dueSource(tx, agent.id, clock.now());
    if (source) return { source };
    const given = await sourcesOf(tx, [agent.id]);
    if (given.length === 0) return { why: 'no feed or site is given (sources of svc_update_signal_agent)' };
    return { why: 'every feed and site was looked at lately' };
  });
  if ('why' in plan) return { kind: 'unsourced', why: plan.why };
  const { source } = plan;
  if (!outside) return { kind: 'source', source, look: { kind: 'blocked', why: 'nothing outside can be read here' } };
  try {
    const look = await withDeadline(WITHIN_MS, claim.signal, (signal) =>
      outside.sites.readSource(source.workspaceId, source, signal),
    );
    return { kind: 'source', source, look };
  } catch (error) {
    if (claim.signal.aborted) throw error;
    return { kind: 'source', source, look: { kind: 'blocked', why: messageOf(error) } };
  }
}
