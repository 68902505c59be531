import { type ExecutorPlan, type LeaseFact, plan } from './executor-plan.ts';

/** A place in the pool. Ages are real ms. */
export interface SeatFact {
  /** Name of the member's Pod. */
  member: string;
  ageMs: number;
  /** Uid of the Pod of that name; null: there is none now. */
  podUid: string | null;
}

export interface PooledFacts {
  /** Why nobody may work for it (suspended, held, no row), or null. */
  stopped: string | null;
  /** Work is due now or in a moment. */
  due: boolean;
  idleTimeoutMs: number;
  seat: SeatFact | null;
  lease: LeaseFact | null;
  /** Members of the pool that serve. */
  serving: number;
}

const LOOK_MS = 60_000;
/** What changes soon is looked at again after so long, should no news of it come. */
const SOON_MS = 2_000;
const STARTING_MS = 15_000;
const NOT_CLAIMING_MS = 300_000;

/** Decides about the place in the pool of a workspace that has no pod of its own. Pure: the same facts give the same plan. */
export function planPooled(facts: PooledFacts): ExecutorPlan {
  const { seat, stopped } = facts;
  if (!seat) return planWithoutSeat(facts);
  const { lease } = facts;
  const epoch = lease?.live && lease.holder !== null && lease.holder === seat.podUid ? lease.epoch : null;
  if (stopped) return leaving(epoch, stopped);
  return epoch === null ? planWithoutClaim(facts, seat) : planWorking(facts, epoch);
}

function planWithoutSeat({ stopped, due, lease, serving }: PooledFacts): ExecutorPlan {
  if (stopped || !due) {
    if (lease?.live) {
      const ending = plan({ do: 'nothing' }, 'Draining', 'Unknown', 'Draining', 'The executor finishes.');
      return { ...ending, requeueAfterMs: SOON_MS };
    }
    return plan({ do: 'nothing' }, 'Idle', 'True', 'Asleep', stopped ?? 'No work is due.');
  }
  if (serving === 0) {
    const told = 'No process of the pool serves yet.';
    return { ...plan({ do: 'nothing' }, 'Starting', 'Unknown', 'Starting', told), requeueAfterMs: SOON_MS };
  }
  const told = 'A process of the pool takes it up.';
  return { ...plan({ do: 'seat' }, 'Starting', 'Unknown', 'Starting', told), requeueAfterMs: STARTING_MS };
}

function planWorking({ due, lease, idleTimeoutMs }: PooledFacts, epoch: number): ExecutorPlan {
  const idleMs = due ? null : (lease?.idleMs ?? null);
  const idle = idleMs !== null && idleMs >= idleTimeoutMs;
  const untilIdle = idleMs === null || idle ? LOOK_MS : idleTimeoutMs - idleMs + 100;
  const told = 'The executor is at work in the pool.';
  return {
    ...plan(idle ? { do: 'rest', epoch } : { do: 'nothing' }, 'Running', 'True', 'Running', told),
    requeueAfterMs: Math.min(LOOK_MS, untilIdle),
  };
}

/** It has a seat and its member no claim: it is about to take it, waits for the one before, or fails again and again. */
function planWithoutClaim({ due, idleTimeoutMs }: PooledFacts, seat: SeatFact): ExecutorPlan {
  if (!due && seat.ageMs > idleTimeoutMs) return leaving(null, 'No work is due.');
  const late = seat.ageMs > NOT_CLAIMING_MS;
  const starting = late
    ? plan(
        { do: 'nothing' },
        'Starting',
        'False',
        'NotClaiming',
        `The process of the pool does not take it up; see the log of pod ${seat.member}.`,
      )
    : plan({ do: 'nothing' }, 'Starting', 'Unknown', 'Starting', 'A process of the pool takes it up.');
  return { ...starting, requeueAfterMs: STARTING_MS };
}

function leaving(epoch: number | null, why: string): ExecutorPlan {
  return { ...plan({ do: 'unseat', epoch, why }, 'Draining', 'Unknown', 'Draining', why), requeueAfterMs: SOON_MS };
}
