import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { AccountPlan } from '../../domain/account-plan.ts';
import { DEFAULT_BUSINESS_HOURS, nextSendOpening } from '../../domain/business-hours.ts';
import { openTime } from '../../domain/hour-share.ts';
import { askAgain, promisedAccounts, readAccountPlans } from '../../store/budgets/send-plan.ts';
import type { EngineDeps } from '../engine-deps.ts';

/** Product ms between rounds: room comes back when leads leave, limits rise or an account recovers. */
const EVERY_MS = 2 * 3_600_000;
/** Product ms after which a round that could not go on is tried again. */
const AGAIN_MS = 60_000;
/** Real ms between rounds at least, also while time runs fast. */
const LEAST_MS = 500;
/** Accounts of one look: due runs wait for it, and the next turn of the engine takes the next ones. */
const PER_LOOK = 20;
/** Runs of an account that ask anew in one look. */
const AT_ONCE = 200;

/** Brings promises forward where earlier dates have room again, so that no budget stays unused while leads wait for it. */
export class PromiseKeeper {
  readonly #deps: EngineDeps;
  #nextAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;
  /** The last account of a round under way that was looked at; null: none is under way. */
  #after: string | null = null;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  async keep(): Promise<void> {
    const { claim, clock, log } = this.#deps;
    const now = clock.now();
    if (this.#after === null) {
      if (now < this.#nextAt || monotonicMs() < this.#notBefore) return;
      this.#nextAt = now + EVERY_MS;
      this.#notBefore = monotonicMs() + LEAST_MS;
      this.#after = '';
    }
    try {
      await this.#look(now, this.#after);
    } catch (error) {
      claim.assertHeld();
      this.#after = null;
      this.#nextAt = now + AGAIN_MS;
      log.warn({ reason: messageOf(error) }, 'promises of accounts were not looked at; tried again in a minute');
    }
  }

  /** Looks at the next accounts. One that can't be looked at keeps nobody from the others. */
  async #look(now: number, after: string): Promise<void> {
    const { claim, log } = this.#deps;
    const accounts = await claim.tx((tx) => promisedAccounts(tx, now, after, PER_LOOK));
    // One account per transaction: their rows are locked in no order here.
    for (const accountId of accounts) {
      try {
        await this.#bringForward(accountId, now);
      } catch (error) {
        claim.assertHeld();
        log.warn({ accountId, reason: messageOf(error) }, 'promises of an account were not looked at');
        // Whatever it was may last: the others come in the next turn.
        this.#after = accountId;
        return;
      }
    }
    this.#after = accounts.length < PER_LOOK ? null : (accounts.at(-1) ?? null);
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
