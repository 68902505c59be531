import { monotonicMs } from '../../base/clock.ts';
import { dueLookups, type LookupRow } from '../../store/ledger/ledger.ts';
import type { ChannelAccount } from '../ledger/channel-account.ts';
import { channelOf } from '../ledger/channel-of.ts';
import { type LookupDeps, lookUpFailed, lookUpSend } from './look-up-send.ts';
import { LONGEST_WAIT_MS } from './look-up-waits.ts';

/** Sends looked up per round. */
const LOOKUPS_PER_ROUND = 200;
/** Accounts that are asked side by side; each is asked for one send at a time, as a person would look. */
const ACCOUNTS_AT_ONCE = 8;
/** Real ms after which a round begins no further look-up: what one slow provider leaves over does not make the others wait. */
const ROUND_MS = 10_000;

/** Looks up sends of unknown outcome whose time has come (real time). Returns how many were settled. */
export async function lookupUnknown(
  deps: LookupDeps,
  accountsOf: (ids: string[]) => Promise<Map<string, ChannelAccount>>,
): Promise<number> {
  const due = await deps.claim.tx((tx) => dueLookups(tx, deps.workspaceId, LOOKUPS_PER_ROUND));
  if (due.length === 0) return 0;
  const sendsOf = Map.groupBy(due, (send) => send.accountId);
  const accounts = await accountsOf([...sendsOf.keys()]);
  const waiting = [...sendsOf];
  const until = monotonicMs() + ROUND_MS;
  let settled = 0;
  const asker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && monotonicMs() < until; next = waiting.shift()) {
      const [accountId, sends] = next;
      const found = await lookUpAll(deps, accounts.get(accountId), sends, until);
      settled += found;
    }
  };
  const asked = await Promise.allSettled(Array.from({ length: ACCOUNTS_AT_ONCE }, asker));
  for (const one of asked) if (one.status === 'rejected') throw one.reason;
  return settled;
}

/** The sends of one account, one after another. */
async function lookUpAll(
  deps: LookupDeps,
  account: ChannelAccount | undefined,
  sends: readonly LookupRow[],
  until: number,
): Promise<number> {
  const channel = account ? await channelOf(deps, account).catch(() => undefined) : undefined;
  let settled = 0;
  for (const send of sends) {
    if (monotonicMs() >= until) break;
    if (!channel)
      await lookUpFailed(deps, LONGEST_WAIT_MS, send, 'account is not linked or its provider is not configured');
    else if (await lookUpSend(deps, channel, send)) settled++;
  }
  return settled;
}
