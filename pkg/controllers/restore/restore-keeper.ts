import type { Clocks } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import { disagreements, type OutsideRecord } from '../../domain/restore-guard.ts';
import type { OperatorMetrics } from '../../metrics/operator-metrics.ts';
import type { Database } from '../../postgres/database.ts';
import {
  advanceEpoch,
  answerLook,
  type BehindResource,
  freezeForRestore,
  type GuardState,
  RESOURCES_KEY,
  readGuard,
} from '../../store/restore/restore-guard.ts';
import type { Vault } from './vault.ts';

/** Real ms between rounds: that of the Lease's renewal. */
const ROUND_MS = 2_000;
const WITHIN_MS = 60_000;
/** Real ms between comparisons of all resources with their rows. */
const RESOURCES_MS = 30_000;
/** Resources found behind that are enough for a freeze; how many there are is found out once nothing leaves any more. */
const ENOUGH = 100;
const ALL = 100_000;

export interface RestoreKeeperOptions {
  db: Database;
  clocks: Clocks;
  vaults: readonly Vault[];
  /** Resources that are older than their rows, so many at most. */
  behind: (most: number) => Promise<BehindResource[]>;
  /** The same without any cache: each object as the API server has it now. */
  behindNow: () => Promise<BehindResource[]>;
  /** A freeze began or ended: conditions show it. */
  onChange: () => void;
  log: Logger;
  metrics: OperatorMetrics;
}

/**
 * The leader's part of restore safety: with each round it compares the epoch in the database with the ones kept outside,
 * and raises all of them. Until a start of Postgres was compared, the ledger dispatches nothing; when they disagree, all
 * sends freeze until `outrider reconcile`. The database is written first, so an outside copy is one behind at most.
 */
export class RestoreKeeper {
  readonly #options: RestoreKeeperOptions;
  #resourcesAt = Number.NEGATIVE_INFINITY;
  #freezes: string | undefined;

  constructor(options: RestoreKeeperOptions) {
    this.#options = options;
  }

  /** Its rounds; an outage of database or vault is waited out. */
  get job(): PeriodicJob {
    return { name: 'restore-guard', everyMs: ROUND_MS, withinMs: WITHIN_MS, run: () => this.round() };
  }

  /** One comparison; raises the epoch when all agree. */
  async round(): Promise<void> {
    const { db, metrics } = this.#options;
    const state = await db.tx({ kind: 'platform' }, readGuard);
    metrics.restoreFrozen.set(state.frozen ? 1 : 0);
    await this.#watchFreezes();
    if (state.frozen) return this.#answer(state);
    const outside = await this.#outside();
    const behind = await this.#behind(state);
    const reasons = [...disagreements(state, outside), ...behindText(behind)];
    if (reasons.length > 0) return this.#freeze(reasons, outside, behind);
    await this.#raise(state, outside);
  }

  /**
   * A reconciliation settles what disagrees now, not what did when sends froze: where Postgres and etcd are restored one after the
   * other, the Lease too is another one by then.
   */
  async #answer({ lookWanted }: GuardState): Promise<void> {
    if (lookWanted === null) return;
    const seen = { ...(await this.#outside()), [RESOURCES_KEY]: await this.#options.behindNow() };
    await this.#options.db.tx({ kind: 'platform' }, (tx) => answerLook(tx, lookWanted, seen));
  }

  /** Raises the epoch once every keeper holds the present one; until then it is only brought to them again. */
  async #raise(state: GuardState, outside: Readonly<Record<string, OutsideRecord | null>>): Promise<void> {
    const { db, vaults } = this.#options;
    const even = Object.values(outside).every((record) => (record?.epoch ?? 0) === state.epoch);
    let record: OutsideRecord | undefined = { epoch: state.epoch, ...state.server };
    if (even || !state.checked) {
      record = await db.tx({ kind: 'platform' }, (tx) => advanceEpoch(tx, state.epoch, even ? 1 : 0));
    }
    if (!record) return;
    for (const vault of vaults) await vault.write(record);
  }

  async #outside(): Promise<Record<string, OutsideRecord | null>> {
    const records: Record<string, OutsideRecord | null> = {};
    for (const vault of this.#options.vaults) records[vault.name] = await vault.read();
    return records;
  }

  async #behind(state: GuardState): Promise<BehindResource[]> {
    const now = this.#options.clocks.real.now();
    if (state.checked && now - this.#resourcesAt < RESOURCES_MS) return [];
    const behind = await this.#options.behind(ENOUGH);
    this.#resourcesAt = now;
    for (const kind of ['Workspace', 'Campaign', 'Workflow'])
      this.#options.metrics.drift.set({ kind }, behind.filter((one) => one.kind === kind).length);
    return behind;
  }

  async #freeze(
    reasons: readonly string[],
    outside: Readonly<Record<string, OutsideRecord | null>>,
    behind: readonly BehindResource[],
  ): Promise<void> {
    const { db, clocks, log, metrics } = this.#options;
    const reason = `${reasons.join(' ')} Run: outrider reconcile`;
    const seen = { ...outside, [RESOURCES_KEY]: behind };
    const froze = await db.tx({ kind: 'platform' }, (tx) => freezeForRestore(tx, clocks.product.now(), reason, seen));
    metrics.restoreFrozen.set(1);
    if (froze) log.error({ reason }, 'sends are frozen');
    await this.#watchFreezes();
    if (behind.length === 0) return;
    // A reconciliation settles what stands here; of the rest each look would freeze again.
    const all = await this.#options.behind(ALL);
    if (all.length === 0) return;
    const allSeen = { ...seen, [RESOURCES_KEY]: all };
    await db.tx({ kind: 'platform' }, (tx) => freezeForRestore(tx, clocks.product.now(), reason, allSeen));
  }

  /** Freezes that are in force show in conditions of resources that do not change by themselves. */
  async #watchFreezes(): Promise<void> {
    const { db, clocks } = this.#options;
    const row = await db.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ look: string }>(
        `select coalesce(
           md5(string_agg(concat_ws('/', scope, target, channel, reason), E'\\n' order by scope, target, channel)),
           ''
         ) as look
         from send_freeze
         where until is null or until > $1`,
        [clocks.product.now()],
      ),
    );
    const look = row?.look ?? '';
    const changed = this.#freezes === undefined ? look !== '' : look !== this.#freezes;
    this.#freezes = look;
    if (changed) this.#options.onChange();
  }
}

function behindText(behind: readonly BehindResource[]): string[] {
  if (behind.length === 0) return [];
  const named = behind.slice(0, 3).map((one) => `${one.kind} ${one.id}`);
  const others = behind.length - named.length;
  const more = behind.length >= ENOUGH ? ' and more' : others > 0 ? ` and ${others} more` : '';
  return [
    `Resources are older than the rows that show them: ${named.join(', ')}${more}. The cluster was restored from a backup.`,
  ];
}
