import { monotonicMs } from '../../base/clock.ts';
import { budgetsLeft } from '../../store/runs/plan-idle.ts';
import type { EngineDeps } from '../engine-deps.ts';

/** Real ms between readings. */
const EVERY_MS = 10_000;

/** Keeps the metric of what is left of the accounts' budgets. */
export class BudgetGauge {
  readonly #deps: Pick<EngineDeps, 'claim' | 'metrics'>;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(deps: Pick<EngineDeps, 'claim' | 'metrics'>) {
    this.#deps = deps;
  }

  /** Reads them, if it is time. */
  async keep(): Promise<void> {
    if (monotonicMs() - this.#readAt < EVERY_MS) return;
    this.#readAt = monotonicMs();
    const { claim, metrics } = this.#deps;
    const budgets = await claim.tx((tx) => budgetsLeft(tx));
    // Of an account that is linked no more there is nothing left to show.
    metrics.budgetRemaining.reset();
    for (const { accountId, action, left } of budgets) {
      metrics.budgetRemaining.set({ account: accountId, action }, left);
    }
  }
}
