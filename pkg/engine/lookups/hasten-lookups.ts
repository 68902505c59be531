import { monotonicMs } from '../../base/clock.ts';
import { type FarLookup, farLookups, hastenLookups } from '../../store/ledger/ledger.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { ChannelAccount } from '../ledger/channel-account.ts';
import { channelOf } from '../ledger/channel-of.ts';
import { waitAfter } from './look-up-waits.ts';

/** Real ms between looks, and look-ups that are looked at. */
const EVERY_MS = 10_000;
const AT_ONCE = 500;
/** What a look-up may be further away than its wait was (ms). */
const SLACK_MS = 2_000;

/**
 * Look-ups are due on the database's clock. One that was set back leaves them further away than anybody made them wait;
 * they become due at once, which only means that somebody looks.
 */
export class LookupHastener {
  readonly #deps: EngineDeps;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  /** @param accountsOf finds accounts by their ids */
  async keep(accountsOf: (ids: string[]) => Promise<Map<string, ChannelAccount>>): Promise<void> {
    if (monotonicMs() < this.#nextAt) return;
    this.#nextAt = monotonicMs() + EVERY_MS;
    const { claim, workspaceId, log } = this.#deps;
    const far = await claim.tx((tx) => farLookups(tx, workspaceId, { ms: SLACK_MS, limit: AT_ONCE }));
    if (far.length === 0) return;
    const accounts = await accountsOf([...new Set(far.map((one) => one.accountId))]);
    const settleAfter = new Map<string, number>();
    for (const [id, account] of accounts) {
      const channel = await channelOf(this.#deps, account).catch(() => undefined);
      if (channel) settleAfter.set(id, channel.settleAfterMs);
    }
    const tooFar = far.filter((one) => isTooFar(one, settleAfter.get(one.accountId))).map((one) => one.id);
    if (tooFar.length === 0) return;
    log.warn(
      { lookups: tooFar.length },
      'outcomes are looked up now: the clock of the database was set back, or their account is linked again',
    );
    await claim.tx((tx) => hastenLookups(tx, tooFar));
  }
}

function isTooFar({ waitMs, lookups }: FarLookup, settleAfterMs: number | undefined): boolean {
  if (settleAfterMs === undefined) return false;
  return waitMs > waitAfter(settleAfterMs, Math.max(0, lookups - 1)) + SLACK_MS;
}
