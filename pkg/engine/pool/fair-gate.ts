import { monotonicMs } from '../../base/clock.ts';

/**
 * What is under way outside waits for its commit: so much less (ms) its workspace seems to have taken. Bounded, so that one with
 * effects without end goes before the others by no more than that.
 */
const URGENT_MS = 250;

/**
 * Who comes back after a rest waits for no more of the others' time (ms) than this, however long its own last transaction took: one
 * slow batch in an hour is no backlog.
 */
const DEBT_MS = 100;

export interface FairGateOptions {
  /** Transactions of all workspaces at once: the connections that they share. */
  slots: number;
  /** Of one workspace at once: as many as it has connections in a pod of its own. */
  perWorkspace: number;
  /** Monotonic ms, by which the time that a workspace took is known. */
  now?: () => number;
}

interface Waiting {
  order: number;
  urgent: boolean;
  enter: () => void;
}

interface Guest {
  running: number;
  /** Time that it took of the gate, ms; of one that comes back after a rest no less than what the others have by then, and little more. */
  used: number;
  waiting: Waiting[];
}

/**
 * The queue of workspaces before the connections that they share. The next place goes to the workspace that took the least time
 * so far, however many wait behind it: a backlog, or a graph whose batches are slow, waits behind everybody who asks for little.
 * (Start-time fair queueing; time is what is divided, not turns.)
 */
export class FairGate {
  readonly #slots: number;
  readonly #perWorkspace: number;
  readonly #now: () => number;
  readonly #guests = new Map<string, Guest>();
  #running = 0;
  #order = 0;
  /** What the last one who entered had used: who was away begins here, and saved nothing up. */
  #floor = 0;

  constructor({ slots, perWorkspace, now = monotonicMs }: FairGateOptions) {
    this.#slots = Math.max(1, slots);
    this.#perWorkspace = perWorkspace;
    this.#now = now;
  }

  /** Workspaces that wait or are inside. */
  get size(): number {
    return this.#guests.size;
  }

  /** Transactions that wait for a place. */
  get waiting(): number {
    return [...this.#guests.values()].reduce((sum, guest) => sum + guest.waiting.length, 0);
  }

  /**
   * Resolves when the workspace has a place; call what it resolves with once the place is free again.
   * @param urgent goes before what else of the workspace waits
   */
  enter(workspaceId: string, urgent = false): Promise<() => void> {
    const guest = this.#guestOf(workspaceId);
    return new Promise((resolve) => {
      const enter = (): void => resolve(this.#begin(workspaceId, guest));
      const at = urgent ? guest.waiting.findIndex((one) => !one.urgent) : -1;
      guest.waiting.splice(at < 0 ? guest.waiting.length : at, 0, { order: this.#order++, urgent, enter });
      this.#admit();
    });
  }

  /** The workspace is served here no more. */
  forget(workspaceId: string): void {
    const guest = this.#guests.get(workspaceId);
    if (guest && guest.running === 0 && guest.waiting.length === 0) this.#guests.delete(workspaceId);
  }

  #guestOf(workspaceId: string): Guest {
    const known = this.#guests.get(workspaceId);
    if (known) {
      if (known.running === 0 && known.waiting.length === 0) {
        known.used = Math.min(Math.max(known.used, this.#floor), this.#floor + DEBT_MS);
      }
      return known;
    }
    const guest: Guest = { running: 0, used: this.#floor, waiting: [] };
    this.#guests.set(workspaceId, guest);
    return guest;
  }

  #begin(workspaceId: string, guest: Guest): () => void {
    const since = this.#now();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#running--;
      guest.running--;
      guest.used += this.#now() - since;
      this.#admit();
      this.#rest(workspaceId, guest);
    };
  }

  #admit(): void {
    while (this.#running < this.#slots) {
      const guest = this.#next();
      const first = guest?.waiting.shift();
      if (!guest || !first) return;
      this.#running++;
      guest.running++;
      this.#floor = Math.max(this.#floor, guest.used);
      first.enter();
    }
  }

  #next(): Guest | undefined {
    let best: Guest | undefined;
    for (const guest of this.#guests.values()) {
      if (guest.waiting.length === 0 || guest.running >= this.#perWorkspace) continue;
      if (!best || isBefore(guest, best)) best = guest;
    }
    return best;
  }

  /** Who neither waits nor is inside, and took no more than who comes now begins with, is as one who never came. */
  #rest(workspaceId: string, { running, waiting, used }: Guest): void {
    if (running === 0 && waiting.length === 0 && used <= this.#floor) this.#guests.delete(workspaceId);
  }
}

/** Who took less time; of two who took the same, the one who waits longer. */
function isBefore(one: Guest, other: Guest): boolean {
  const [mine, theirs] = [one, other].map(({ used, waiting }) => (waiting[0]?.urgent ? used - URGENT_MS : used)) as [
    number,
    number,
  ];
  if (mine !== theirs) return mine < theirs;
  return (one.waiting[0]?.order ?? 0) < (other.waiting[0]?.order ?? 0);
}
