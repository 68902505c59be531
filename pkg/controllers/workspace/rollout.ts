import type { WorkspaceStatus } from '../../api/specs.ts';
import type { Clock } from '../../base/clock.ts';
import { findCondition } from '../../kube/conditions.ts';
import { parseTime } from '../../kube/time.ts';
import { keyOf } from '../../kube/types.ts';
import { type Conditioned, conditionsIn } from '../object-conditions.ts';

/** A replaced executor that is not back at work by then no longer holds up the others (real ms). */
const PATIENCE_MS = 300_000;

export interface RolloutOptions {
  /** Real time. */
  clock: Clock;
  /** At most this share of the executors is replaced at a time; at least one is. */
  maxUnavailablePercent: number;
  /** Keys of the workspaces that have a pod, and whether it is ending. */
  pods: () => Iterable<{ key: string; ending: boolean }>;
  /** Asked once, before the first decision: what an earlier leader left under way. */
  left: () => Iterable<UnderWay>;
}

/** A workspace whose executor is away, and since when (real time, epoch ms). */
export interface UnderWay {
  key: string;
  since: number;
}

/**
 * Workspaces whose executor was ending or starting when their status was last written. That is all that is left of a
 * replacement between the deletion of the old pod and the claim of the new one when another leader takes over.
 */
export function leftUnderWay(workspaces: Iterable<Conditioned>): UnderWay[] {
  const left: UnderWay[] = [];
  for (const workspace of workspaces) {
    const { executor } = (workspace.status ?? {}) as Partial<WorkspaceStatus>;
    if (executor?.state !== 'Draining' && executor?.state !== 'Starting') continue;
    const available = findCondition(conditionsIn(workspace), 'ExecutorAvailable');
    left.push({ key: keyOf(workspace), since: parseTime(available?.lastTransitionTime) ?? 0 });
  }
  return left;
}

/**
 * Replaces executors of an older template a few at a time, so that an upgrade stops a share of the work at most, and an
 * image that does not start stops no more than that.
 */
export class Rollout {
  readonly #options: RolloutOptions;
  readonly #underWay = new Map<string, number>();
  #knowsLeft = false;

  constructor(options: RolloutOptions) {
    this.#options = options;
  }

  /** Whether the executor of this workspace may be replaced now; once it may, it may until it is `back`. */
  admit(key: string): boolean {
    const { clock, maxUnavailablePercent, pods } = this.#options;
    this.#learnLeft();
    if (this.#underWay.has(key)) return true;
    for (const [other, since] of this.#underWay) {
      if (clock.now() - since > PATIENCE_MS) this.#underWay.delete(other);
    }
    const all = new Set(this.#underWay.keys());
    const away = new Set(all);
    for (const pod of pods()) {
      all.add(pod.key);
      if (pod.ending) away.add(pod.key);
    }
    if (away.size >= Math.max(1, Math.floor((all.size * maxUnavailablePercent) / 100))) return false;
    this.#underWay.set(key, clock.now());
    return true;
  }

  /** The executor of this workspace is at work again, or nobody needs it. */
  back(key: string): void {
    this.#learnLeft();
    this.#underWay.delete(key);
  }

  #learnLeft(): void {
    if (this.#knowsLeft) return;
    this.#knowsLeft = true;
    for (const { key, since } of this.#options.left()) this.#underWay.set(key, since);
  }
}
