import type { WorkspaceStatus } from '../../api/specs.ts';
import type { ModeInForce, NotPooled } from '../../domain/executor-mode.ts';
import { formatTime } from '../../kube/time.ts';
import type { WorkspaceCounts } from '../counts.ts';
import type { Conditioned } from '../object-conditions.ts';
import { conditionsOf, type HoldFact, holdText, type OwnCondition, type Readiness } from '../readiness.ts';
import type { ExecutorPlan } from './executor-plan.ts';
import type { WorkspaceFacts } from './facts.ts';

export interface StatusFacts {
  readiness: Readiness;
  hold: HoldFact | null;
  facts: WorkspaceFacts | undefined;
  plan: ExecutorPlan;
  counts: WorkspaceCounts | undefined;
  podName: string | undefined;
  mode: ModeInForce;
  /** Real time, epoch ms. */
  now: number;
}

/** Activity is told by the minute, else every step of a run would be a write. */
const ACTIVITY_STEP_MS = 60_000;

/** The whole status of a Workspace, deterministic for the same facts and the same previous status. */
export function workspaceStatus(object: Conditioned, facts: StatusFacts): WorkspaceStatus {
  const previous = (object.status ?? {}) as Partial<WorkspaceStatus>;
  const generation = object.metadata.generation ?? 0;
  const suspended = facts.facts?.operatingMode === 'Suspended';
  const synced: OwnCondition = facts.readiness.ready
    ? { type: 'Synced', status: 'True', reason: 'Projected', message: 'The rows show this generation.' }
    : { type: 'Synced', status: 'False', reason: facts.readiness.reason, message: facts.readiness.message };
  const mode: OwnCondition[] = suspended
    ? [
        {
          type: 'Suspended',
          status: 'True',
          reason: 'SuspendedBySpec',
          message: 'Nothing is sent; every place is kept.',
        },
      ]
    : [];
  const conditions = conditionsOf(previous.conditions ?? [], {
    generation,
    readiness: facts.readiness,
    hold: facts.hold,
    others: [facts.plan.condition, synced, ...pooled(facts.mode), ...mode, ...frozen(facts.facts?.freeze ?? null)],
    now: facts.now,
  });
  return {
    observedGeneration: generation,
    conditions,
    ...holdText(facts.hold),
    executor: executorOf(facts),
    ...countsOf(facts.counts),
  };
}

const NOT_POOLED: Record<NotPooled, string> = {
  PlacementRules:
    'It has a pod of its own: spec.executor has resources, nodes, tolerations or a priority, and the pods of a pool are all alike.',
  NoPool: 'It has a pod of its own: this platform has no pool (executor.pool.replicas of the chart is 0).',
};

/** Told where the pool is wished for. */
function pooled({ wished }: ModeInForce): OwnCondition[] {
  if (!wished) return [];
  const { refused, by } = wished;
  if (refused) return [{ type: 'Pooled', status: 'False', reason: refused, message: NOT_POOLED[refused] }];
  const message =
    by === 'workspace' ? 'The pool serves it, as its spec says.' : 'The pool serves it, as the platform says.';
  return [{ type: 'Pooled', status: 'True', reason: 'Seated', message }];
}

/** A restore freeze names its way out; an admin's names its reason. */
function frozen(freeze: WorkspaceFacts['freeze']): OwnCondition[] {
  if (!freeze) return [];
  const restore = freeze.scope === 'platform' && freeze.target === 'restore';
  const reason = restore ? 'RestoreUnreconciled' : freeze.scope === 'account' ? 'AccountFrozen' : 'FrozenByAdmin';
  return [{ type: 'SendsFrozen', status: 'True', reason, message: freeze.reason }];
}

function executorOf({ plan, podName, facts, mode }: StatusFacts): WorkspaceStatus['executor'] {
  const epoch = facts?.lease?.epoch;
  // A pod of its own is the usual thing, and needs no word: nobody's status changes because there is a pool.
  return {
    ...(mode.mode === 'Pooled' ? { mode: mode.mode } : {}),
    state: plan.state,
    ...(podName ? { podName } : {}),
    ...(epoch ? { epoch } : {}),
  };
}

function countsOf(counts: WorkspaceCounts | undefined): Partial<WorkspaceStatus> {
  if (!counts) return {};
  const { campaigns, workflows, liveRuns, signalAgents, activeSignalAgents, lastActivityAt } = counts;
  const lastActivityTime =
    lastActivityAt === null ? undefined : formatTime(Math.floor(lastActivityAt / ACTIVITY_STEP_MS) * ACTIVITY_STEP_MS);
  const numbers = { campaigns, workflows, liveRuns, signalAgents, activeSignalAgents };
  return { counts: numbers, ...(lastActivityTime ? { lastActivityTime } : {}) };
}
