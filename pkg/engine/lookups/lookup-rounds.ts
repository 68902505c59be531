import { monotonicMs } from '../../base/clock.ts';
import { type AccountRow, readAccounts } from '../../store/runs/batch-facts.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { LedgerBatcher } from '../ledger/ledger-batcher.ts';
import { LookupHastener } from './hasten-lookups.ts';
import { lookupUnknown } from './lookups.ts';

/** Real ms from the end of a round to the next. */
const EVERY_MS = 200;

/** Looks up sends of unknown outcome, beside the batches: a provider may take its time. */
export class LookupRounds {
  readonly #deps: EngineDeps;
  readonly #ledger: LedgerBatcher;
  readonly #hastener: LookupHastener;
  readonly #failed: (error: unknown) => void;
  #dueAt = 0;
  #running: Promise<void> | undefined;

  /** @param failed hears what ended a round: the state in the database is not known any more */
  constructor(deps: EngineDeps, ledger: LedgerBatcher, failed: (error: unknown) => void) {
    this.#deps = deps;
    this.#ledger = ledger;
    this.#hastener = new LookupHastener(deps);
    this.#failed = failed;
  }

  /** Begins a round, if one is due and none is under way. */
  begin(): void {
    if (this.#running || monotonicMs() < this.#dueAt) return;
    this.#running = this.#round()
      .catch(this.#failed)
      .finally(() => {
        this.#running = undefined;
        this.#dueAt = monotonicMs() + EVERY_MS;
      });
  }

  /** Resolves when no round is under way. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #round(): Promise<void> {
    const accountsOf = (ids: string[]): Promise<Map<string, AccountRow>> => this.#accountsOf(ids);
    await this.#hastener.keep(accountsOf);
    await lookupUnknown({ ...this.#deps, ledger: this.#ledger }, accountsOf);
  }

  async #accountsOf(ids: string[]): Promise<Map<string, AccountRow>> {
    const { claim, workspaceId } = this.#deps;
    const accounts = await claim.tx((tx) => readAccounts(tx, workspaceId, ids));
    return new Map(accounts.map((account) => [account.id, account]));
  }
}
