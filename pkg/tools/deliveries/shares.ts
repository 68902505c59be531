import type { DueEndpoint } from '../../store/deliveries/due-endpoints.ts';

/** Tries under way at a time in this process, and of one workspace. */
const MOST = 128;
const MOST_OF_A_WORKSPACE = 8;
/** Failures in a row after which an endpoint is taken for dead: one delivery at a time tries it, once a minute. */
const DEAD_AFTER = 10;
/** Endpoints whose turn is remembered. */
const REMEMBERED = 10_000;

/** Who may send how much at a time: every workspace has its share, and who was served longest ago comes first. */
export class Shares {
  readonly #ofWorkspace = new Map<string, number>();
  readonly #ofEndpoint = new Map<string, number>();
  readonly #servedAt = new Map<string, number>();
  #all = 0;
  #turn = 0;

  static isDead({ failuresInRow }: Pick<DueEndpoint, 'failuresInRow'>): boolean {
    return failuresInRow >= DEAD_AFTER;
  }

  inTurn(endpoints: readonly DueEndpoint[]): DueEndpoint[] {
    const turnOf = ({ id }: DueEndpoint): number => this.#servedAt.get(id) ?? 0;
    return endpoints.toSorted((a, b) => turnOf(a) - turnOf(b));
  }

  /** Deliveries that may begin for an endpoint now. A chat takes one a second, in order; a dead one is only tried. */
  roomFor(endpoint: DueEndpoint): number {
    const { id, workspaceId, kind } = endpoint;
    const room = Math.min(MOST - this.#all, MOST_OF_A_WORKSPACE - (this.#ofWorkspace.get(workspaceId) ?? 0));
    const alone = kind === 'chat' || Shares.isDead(endpoint);
    return alone ? Math.min(room, 1 - (this.#ofEndpoint.get(id) ?? 0)) : room;
  }

  /** Takes a place. @returns what gives it back */
  take({ id, workspaceId }: DueEndpoint): () => void {
    if (this.#servedAt.size >= REMEMBERED) this.#servedAt.clear();
    this.#servedAt.set(id, ++this.#turn);
    this.#all += 1;
    add(this.#ofWorkspace, workspaceId, 1);
    add(this.#ofEndpoint, id, 1);
    return () => {
      this.#all -= 1;
      add(this.#ofWorkspace, workspaceId, -1);
      add(this.#ofEndpoint, id, -1);
    };
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
