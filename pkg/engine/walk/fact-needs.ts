import type { CompiledNode } from '../../domain/graph.ts';

/** What a walk asks of its person, each with what comes before it. */
export const NOTHING = 0;
/** What acting needs: where the lead is found, its relation, accounts, calls. */
export const BASICS = 1;
/** All that is known of the lead. */
export const DETAILS = 2;
export type Need = typeof NOTHING | typeof BASICS | typeof DETAILS;
export const NEEDS: readonly Need[] = [NOTHING, BASICS, DETAILS];

/** Runs after which a place is learnt anew: what they need may have changed with what became of them. */
const LEARN_EVERY = 10_000;

interface Place {
  need: Need;
  /** Runs until it is learnt anew. */
  left: number;
}

/**
 * What walks needed lately, by the node at which their runs stood: the like is read with the rest of the next batch, without a
 * round trip of its own. A guess that is wrong costs a read too many or a round trip more, no more.
 */
export class FactNeeds {
  readonly #waiting = new WeakMap<CompiledNode, Place>();
  readonly #sending = new WeakMap<CompiledNode, Place>();
  #anywhere = false;

  /** Whether a run has ever needed anything. */
  get anywhere(): boolean {
    return this.#anywhere;
  }

  /** What a run that stands at `node` (`sending`: with a send) will probably need. */
  likely(node: CompiledNode, sending: boolean): Need {
    const place = this.#of(sending).get(node);
    if (!place || place.left <= 0) return NOTHING;
    place.left--;
    return place.need;
  }

  /** Hears what a run needed that was thought to need `likely`. */
  learn(node: CompiledNode, sending: boolean, likely: Need, need: Need): void {
    const places = this.#of(sending);
    if (need === NOTHING) places.delete(node);
    else if (need !== likely) places.set(node, { need, left: LEARN_EVERY });
    this.#anywhere ||= need !== NOTHING;
  }

  #of(sending: boolean): WeakMap<CompiledNode, Place> {
    return sending ? this.#sending : this.#waiting;
  }
}
