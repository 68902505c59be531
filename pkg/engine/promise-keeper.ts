import { monotonicMs } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { AccountPlan } from '../domain/account-plan.ts';
import { DEFAULT_BUSINESS_HOURS, nextSendOpening } from '../domain/business-hours.ts';
import { openTime } from '../domain/hour-share.ts';
import { askAgain, promisedAccounts, readAccountPlans } from '../store/send-plan.ts';
import type { EngineDeps } from './engine-deps.ts';

/** Product ms between looks: room comes back when leads leave, limits rise or an account recovers. */
const EVERY_MS = 2 * 3_600_000;
/** Real ms between looks at least, also while time runs fast. */
const LEAST_MS = 500;
/** Runs of an account that ask anew in one look. */
const AT_ONCE = 200;

/** Brings promises forward where earlier dates have room again, so that no budget stays unused while leads wait for it. */
export class PromiseKeeper {
  readonly #deps: EngineDeps;
  #nextAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  async keep(): Promise<void> {
    const { claim, clock, log } = this.#deps;
    const now = clock.now();
    if (now < this.#nextAt || monotonicMs() < this.#notBefore) return;
    this.#nextAt = now + EVERY_MS;
    this.#notBefore = monotonicMs() + LEAST_MS;
    try {
      // One account per transaction: their rows are locked in no order here.
      for (const accountId of await claim.tx((tx) => promisedAccounts(tx, now)))
        await this.#bringForward(accountId, now);
    } catch (error) {
      claim.assertHeld();
      log.warn({ reason: messageOf(error) }, 'promises of accounts were not looked at; tried again in two hours');
    }
  }

  async #bringForward(accountId: string, now: number): Promise<void> {
    await this.#deps.claim.tx(async (tx) => {
      const known = (await readAccountPlans(tx, now, [accountId], [])).get(accountId);
      if (!known) return;
      const { timezone } = known.state;
      const account = known.hours ?? DEFAULT_BUSINESS_HOURS;
      const hours = { account, accountTimezone: timezone, campaign: null, leadTimezone: null };
      const usual = { opening: (at: number) => nextSendOpening(at, hours).at, open: openTime(hours, now) };
      await askAgain(tx, now, new AccountPlan(known.state, now).movable(usual, AT_ONCE));
    });
  }
}
