import { monotonicMs, sleepReal } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';

/** How many connections of a pool one tenant may hold. */
export interface ConnectionShares {
  /** Connections at once for one workspace, and for one caller in all workspaces. */
  perWorkspace: number;
  perCaller: number;
  /** Transactions of one of them that wait for a connection; further ones are refused at once. */
  waiting: number;
  /** Real ms that one waits. */
  patienceMs: number;
}

interface Place {
  inside: number;
  /** Each is told once it is inside. */
  waiting: (() => void)[];
}

/**
 * Stands before a pool: who holds its share of connections waits here, where waiting costs nobody a connection, and not in the
 * pool's own line, which all tenants share.
 */
export class ConnectionGate {
  readonly #shares: ConnectionShares;
  readonly #places = new Map<string, Place>();

  constructor(shares: ConnectionShares) {
    this.#shares = shares;
  }

  /**
   * Waits for a place of the workspaces, then for one of the caller.
   * @param caller undefined: work that nobody waits for, which has a place by its workspace alone
   * @returns what gives them back
   * @throws UserError when too many wait, or none was free in time
   */
  async enter(workspaces: readonly string[], caller: string | undefined): Promise<() => void> {
    const until = monotonicMs() + this.#shares.patienceMs;
    const leave = await this.#place(`w ${workspaces.join(',')}`, this.#shares.perWorkspace, until);
    if (caller === undefined) return leave;
    try {
      const leaveCaller = await this.#place(`c ${caller}`, this.#shares.perCaller, until);
      return () => {
        leaveCaller();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #place(key: string, most: number, until: number): Promise<() => void> {
    const place = this.#places.get(key) ?? { inside: 0, waiting: [] };
    this.#places.set(key, place);
    if (place.inside >= most) await this.#wait(place, until);
    else place.inside++;
    return () => this.#leave(key, place);
  }

  /** Its place is handed over by the one that leaves. @throws UserError */
  async #wait(place: Place, until: number): Promise<void> {
    if (place.waiting.length >= this.#shares.waiting) throw crowded();
    const turn = Promise.withResolvers<void>();
    place.waiting.push(turn.resolve);
    const given = new AbortController();
    const late = sleepReal(Math.max(1, until - monotonicMs()), given.signal).then(() => 'late' as const);
    late.catch(() => undefined);
    const first = await Promise.race([turn.promise, late]);
    given.abort();
    if (first !== 'late') return;
    const at = place.waiting.indexOf(turn.resolve);
    // The place came in the same moment.
    if (at < 0) return;
    place.waiting.splice(at, 1);
    throw crowded();
  }

  #leave(key: string, place: Place): void {
    const next = place.waiting.shift();
    if (next) {
      next();
      return;
    }
    place.inside--;
    if (place.inside === 0) this.#places.delete(key);
  }
}

function crowded(): UserError {
  return new UserError(
    'Too many calls of this workspace or caller are under way at once; nothing was done. Make fewer at a time, and repeat this one in a few seconds.',
    'TooManyAtOnce',
  );
}
