import { planSeats } from '../../domain/pool-seats.ts';
import { claimSleep, requestDrain } from '../../store/leases/drain.ts';
import { allSeats, seat, unseat } from '../../store/leases/seats.ts';
import type { OperatorContext } from '../context.ts';
import { PoolMembers } from './members.ts';

/** Workspaces that move from a member that serves to another at most, per look: each finishes first, and starts anew. */
const MOVES_AT_ONCE = 20;

/** Seats workspaces at the members of the pool. Its changes come one after another; one per term as leader. */
export class Seating {
  readonly #context: OperatorContext;
  readonly members: PoolMembers;
  readonly #wanting = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(context: OperatorContext) {
    this.#context = context;
    this.members = new PoolMembers(context);
  }

  /** Gives a workspace its seat; those that ask meanwhile are seated together. */
  seat(workspaceId: string): Promise<void> {
    this.#wanting.add(workspaceId);
    return this.#next(async () => {
      const wanting = [...this.#wanting];
      this.#wanting.clear();
      if (wanting.length === 0) return;
      await this.#context.db.tx({ kind: 'platform' }, async (tx) => {
        await this.members.look(tx);
        const seats = await allSeats(tx);
        const asked = new Set(wanting);
        const moves = planSeats({ ...this.members.now(), seats, wanting });
        await seat(tx, new Map([...moves].filter(([id]) => asked.has(id) && !seats.has(id))));
      });
    });
  }

  /**
   * Moves those whose member is gone, hangs or is cut off, and a few of a member that has too many. Who holds the claim finishes
   * first. @returns the workspaces that moved
   */
  balance(): Promise<string[]> {
    return this.#next(() =>
      this.#context.db.tx({ kind: 'platform' }, async (tx) => {
        await this.members.look(tx);
        const seats = await allSeats(tx);
        if (seats.size === 0) return [];
        const { members, pausing } = this.members.now();
        const moves = [...planSeats({ members, pausing, seats })];
        const homeless = moves.filter(([id]) => !members.includes(seats.get(id) ?? ''));
        const crowded = moves.filter(([id]) => members.includes(seats.get(id) ?? '')).slice(0, MOVES_AT_ONCE);
        await seat(tx, new Map([...homeless, ...crowded]));
        return [...homeless, ...crowded].map(([id]) => id);
      }),
    );
  }

  /** Takes the seat away and tells the holder of this epoch, if there is one, to finish. */
  async unseat(workspaceId: string, epoch: number | null): Promise<void> {
    await this.#context.db.tx({ kind: 'platform' }, async (tx) => {
      await unseat(tx, workspaceId);
      if (epoch !== null) await requestDrain(tx, workspaceId, epoch);
    });
  }

  /** Takes the seat away while its holder of this epoch is idle long enough and nothing became due. @returns whether it did */
  rest(workspaceId: string, idle: { epoch: number; idleMs: number; dueBefore: number }): Promise<boolean> {
    return this.#context.db.tx({ kind: 'platform' }, async (tx) => {
      // The seat is locked before the claim, as by the one who asks for the claim.
      await tx.exec('select 1 from pool_seat where workspace_id = $1 for update', [workspaceId]);
      if (!(await claimSleep(tx, workspaceId, idle))) return false;
      await unseat(tx, workspaceId);
      return true;
    });
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}
