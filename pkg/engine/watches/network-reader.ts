import { messageOf } from '../../base/errors.ts';
import { type AccountRef, type NetworkProvider, ProviderError } from '../../providers/network/network-provider.ts';
import { exportAccount } from '../../store/accounts/connection-exports.ts';
import { takeReads } from '../../store/leads/lead-scrapes.ts';
import type { EngineDeps } from '../engine-deps.ts';

type Account = AccountRef & { id: string; provider: string };

/**
 * Reads the network for one check, one request after the other, each within the budget of an account of the workspace: of the first that
 * has some left, and of that one alone from then on. Freezes, cool-downs and pauses of accounts hold as for everything else.
 */
export class NetworkReader {
  readonly #deps: EngineDeps;
  readonly #only: string | null;
  #account: Account | undefined;
  #stopped: string | null = null;
  #signal: AbortSignal;
  #refused = false;

  /** @param only the account that is to read; null: whichever has budget left */
  constructor(deps: EngineDeps, signal: AbortSignal, only: string | null = null) {
    this.#deps = deps;
    this.#signal = signal;
    this.#only = only;
  }

  /** Why nothing more is read now; null: nothing stands against it. */
  get stopped(): string | null {
    return this.#stopped;
  }

  /** What stopped it is an answer to the last question, which another question need not get. */
  get refused(): boolean {
    return this.#refused;
  }

  /**
   * Asks the network once.
   * @param question undefined: the provider does not offer it
   * @returns null: it can not be asked now (`stopped` says why), or it refused
   * @throws ProviderError when the network can not be reached
   */
  async ask<T>(
    action: 'profile_scrape' | 'search',
    question: (provider: NetworkProvider, account: AccountRef, signal: AbortSignal) => Promise<T> | undefined,
  ): Promise<T | null> {
    if (this.#stopped !== null) return null;
    const account = await this.#take(action);
    if (!account) return null;
    const provider = this.#deps.providers(account.provider);
    const asked = provider && question(provider, account, this.#signal);
    if (!asked) return this.#stop('the provider of the account does not offer this');
    try {
      return await asked;
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'unavailable_before_send') throw error;
      if (error.kind === 'limit' || error.kind === 'rate_limited') return this.#stop('the network signalled a limit');
      this.#refused = true;
      return this.#stop(messageOf(error));
    }
  }

  async #take(action: 'profile_scrape' | 'search'): Promise<Account | null> {
    const { claim, clock, workspaceId } = this.#deps;
    const accountId = this.#account?.id ?? this.#only;
    const now = clock.now();
    const account = await claim.tx(async (tx) => {
      const taken = await takeReads(tx, workspaceId, { action, wanted: 1, accountId, now });
      if (taken.accountId === null || taken.granted === 0) return undefined;
      return this.#account ?? exportAccount(tx, workspaceId, taken.accountId);
    });
    this.#account = account;
    return account ?? this.#stop('no account of the workspace has budget left for reading');
  }

  #stop(why: string): null {
    this.#stopped = why;
    return null;
  }
}
