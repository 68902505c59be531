import { monotonicMs } from '../../base/clock.ts';
import { nextAction } from '../../store/actions/actions.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { GrantedEffect } from '../ledger/claim-effects.ts';
import { ACTION_TYPES } from './action-types.ts';
import { claimDueActions } from './claim-due-actions.ts';

/** Real ms between rounds, and actions that one takes. */
const EVERY_MS = 1_000;
const AT_ONCE = 100;

/** Begins the actions without a run that are due, between the batches. */
export class ActionRounds {
  readonly #deps: EngineDeps;
  readonly #start: (effect: GrantedEffect) => void;
  #doneAt = Number.NEGATIVE_INFINITY;

  /** @param start performs what was claimed */
  constructor(deps: EngineDeps, start: (effect: GrantedEffect) => void) {
    this.#deps = deps;
    this.#start = start;
  }

  /** A round, if one is due. */
  async keep(room: number): Promise<void> {
    if (room <= 0 || monotonicMs() - this.#doneAt < Math.max(EVERY_MS, this.#deps.pace?.roundsMs ?? 0)) return;
    const due = await this.round(Math.min(room, AT_ONCE));
    this.#doneAt = due < AT_ONCE ? monotonicMs() : Number.NEGATIVE_INFINITY;
  }

  /** The next round is due now. */
  hurry(): void {
    this.#doneAt = Number.NEGATIVE_INFINITY;
  }

  /** Claims up to `limit` actions and begins them. @returns how many were due */
  async round(limit = AT_ONCE): Promise<number> {
    const { claim, clock, newId, workspaceId, faults } = this.#deps;
    const { granted, due } = await claim.tx(
      async (tx) => {
        const now = clock.now();
        const next = await nextAction(tx, [...ACTION_TYPES.keys()]);
        if (next === null || next > now) return { granted: [], due: 0 };
        const claimed = await claimDueActions(tx, { workspaceId, now, newId, limit });
        const [first] = claimed.granted;
        if (first) await faults('claiming', first.request.claim.sendId);
        return claimed;
      },
      { lookups: true },
    );
    for (const effect of granted) this.#start(effect);
    return due;
  }
}
