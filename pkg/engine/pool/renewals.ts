import { monotonicMs, sleepReal } from '../../base/clock.ts';
import type { Database } from '../../postgres/database.ts';
import { type Renewed, renewClaims } from '../../store/leases/renewals.ts';
import { Batcher } from '../ledger/batcher.ts';

/** Real ms from one commit of renewals to the next: beside the ten seconds between two of one lease it is nothing. */
const EVERY_MS = 100;

/**
 * Renews the leases of all workspaces of a process, many per transaction, on connections that no work may take: a thousand
 * leases cost ten small commits a second.
 */
export class Renewals {
  readonly #batcher: Batcher<string, { renewed: Renewed | undefined }>;

  /** @param ttlSeconds how long a renewed lease lives on the database's clock */
  constructor(db: Database, ttlSeconds: number) {
    this.#batcher = new Batcher(
      (tokens) =>
        db.tx({ kind: 'none' }, async (tx) =>
          (await renewClaims(tx, tokens, ttlSeconds)).map((renewed) => ({ renewed })),
        ),
      { now: monotonicMs, sleep: (ms, signal) => sleepReal(ms, signal) },
    );
  }

  /** @returns undefined when the lease is lost. @throws when the database does not answer */
  async renew(token: string): Promise<Renewed | undefined> {
    return (await this.#batcher.add(token, EVERY_MS)).renewed;
  }
}
