import type { Tx } from '../../postgres/database.ts';
import { type MemberSeen, membersSeen } from '../../store/leases/seats.ts';
import type { OperatorContext } from '../context.ts';
import { LABELS, poolNumber, poolPodName } from '../names.ts';
import type { Pod } from '../workspace/pod.ts';

/** A member whose Pod is away for so long (real ms) gets its workspaces moved: a restart of a Pod takes less. */
const AWAY_MS = 20_000;
/** A process asks each second whom it serves; one that did not for so long (real ms) gets nobody. */
const UNSEEN_MS = 10_000;

/** Who may be seated where. */
export interface Members {
  /** Those that serve, and those that pause. */
  members: string[];
  /** Their Pod is ending, starting or being replaced: who sits there waits a moment. */
  pausing: string[];
}

/** Pods of the pool, as the cache has them. */
export function poolPods({ pods }: Pick<OperatorContext, 'pods'>): Pod[] {
  return pods.store.list().filter((pod) => pod.metadata.labels?.[LABELS.role] === 'pool');
}

/** Whether a Pod takes up work. */
export function serves(pod: Pod | undefined): boolean {
  return pod?.status?.phase === 'Running' && pod.metadata.deletionTimestamp === undefined;
}

/** The pool's members: those that the platform asks for, by what is known of their Pods. One per term as leader. */
export class PoolMembers {
  readonly #context: OperatorContext;
  /** Since when the Pod of a member is away (real ms). */
  readonly #away = new Map<string, number>();
  #seen: ReadonlyMap<string, MemberSeen> = new Map();
  /** Real ms at which this term looked first: until then nobody who asks could be answered. */
  readonly #since: number;

  constructor(context: OperatorContext) {
    this.#context = context;
    this.#since = context.clocks.real.now();
  }

  /** Names of the Pods that there are to be. */
  get wanted(): string[] {
    return Array.from({ length: this.#context.executor.pool?.replicas ?? 0 }, (_, number) => poolPodName(number));
  }

  /** How many serve. */
  get serving(): number {
    return this.wanted.filter((name) => this.#servesAs(name)).length;
  }

  /** Looks at what the database knows of their Pods. */
  async look(tx: Tx): Promise<void> {
    const { pods, homeNamespace } = this.#context;
    const uids = this.wanted.flatMap((name) => {
      const uid = pods.store.get(`${homeNamespace}/${name}`)?.metadata.uid;
      return uid === undefined ? [] : [[name, uid] as const];
    });
    this.#seen = new Map((await membersSeen(tx, new Map(uids))).map((one) => [one.member, one]));
  }

  now(): Members {
    const { clocks } = this.#context;
    const now = clocks.real.now();
    const members: string[] = [];
    const pausing: string[] = [];
    for (const name of this.wanted) {
      if (this.#servesAs(name)) {
        this.#away.delete(name);
        members.push(name);
        continue;
      }
      const since = this.#away.get(name) ?? now;
      this.#away.set(name, since);
      // Its claims tell whether it works although nobody hears of it: then it keeps who it has.
      if (now - since >= AWAY_MS && now - this.#since >= AWAY_MS && !this.#seen.get(name)?.holds) continue;
      members.push(name);
      pausing.push(name);
    }
    return { members, pausing };
  }

  #servesAs(name: string): boolean {
    const { pods, homeNamespace } = this.#context;
    if (!serves(pods.store.get(`${homeNamespace}/${name}`))) return false;
    return (this.#seen.get(name)?.seenMs ?? Number.POSITIVE_INFINITY) < UNSEEN_MS;
  }
}

/** Whether a Pod is more than the platform asks for. */
export function isSurplus(pod: Pod, replicas: number): boolean {
  const number = poolNumber(pod.metadata.name);
  return number === undefined || number >= replicas;
}
