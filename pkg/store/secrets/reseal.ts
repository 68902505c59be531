import type { SealedBy, Sealer } from '../../base/sealer.ts';
import type { Tx } from '../../postgres/database.ts';
import { replaceSealed, SEALED_TABLES, type SealedRow, type SealedTable, sealedRows } from './sealed-rows.ts';

/** Secrets that a transaction reads and replaces at most. */
const BATCH = 200;
/** Secrets that no key opens are named up to so many. */
const MAX_NAMED = 20;

/** What a pass over the secrets of a table found, and what it did. */
export interface Resealed {
  table: string;
  current: number;
  /** Sealed by an old key: after a pass that was no dry run, those that somebody changed meanwhile. */
  old: number;
  /** Sealed anew by this pass. */
  resealed: number;
  unknown: number;
  /** Ids of some that no given key opens. */
  unknownIds: string[];
}

/**
 * Seals every stored secret anew that an old key sealed, in batches of a transaction each. A pass that was ended in the middle is made
 * again from the beginning: what it did is passed over. Secrets that no key opens stay as they are.
 * @param inTx runs a batch in a transaction that sees all workspaces
 * @param dryRun only counts
 */
export async function resealAll(
  inTx: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  sealer: Sealer,
  { dryRun, batch = BATCH }: { dryRun: boolean; batch?: number },
): Promise<Resealed[]> {
  const found: Resealed[] = [];
  for (const of of SEALED_TABLES) {
    const sum: Resealed = { table: of.table, current: 0, old: 0, resealed: 0, unknown: 0, unknownIds: [] };
    let after: string | undefined;
    do {
      const from: string | undefined = after;
      const { rows, old, done } = await inTx(async (tx) => {
        const read = await sealedRows(tx, of, from, batch);
        const sealedByOld = count(sum, of, sealer, read);
        return { rows: read, old: sealedByOld, done: dryRun ? [] : await sealAnew(tx, of, sealer, sealedByOld) };
      });
      sum.resealed += done.length;
      sum.old += old.length - done.length;
      after = rows.length < batch ? undefined : rows.at(-1)?.id;
    } while (after !== undefined);
    found.push(sum);
  }
  return found;
}

/** @returns the rows that an old key sealed */
function count(sum: Resealed, of: SealedTable, sealer: Sealer, rows: readonly SealedRow[]): SealedRow[] {
  const old: SealedRow[] = [];
  for (const row of rows) {
    const by = sealedBy(sealer, row, of.ownerOf(row.id));
    if (by === 'old') old.push(row);
    else sum[by]++;
    if (by === 'unknown' && sum.unknownIds.length < MAX_NAMED) sum.unknownIds.push(row.id);
  }
  return old;
}

/** What is no sealed secret at all is opened by no key either. */
function sealedBy(sealer: Sealer, { sealed }: SealedRow, owner: string): SealedBy {
  try {
    return sealer.sealedBy(sealed, owner);
  } catch {
    return 'unknown';
  }
}

/** @returns ids of those that it replaced */
function sealAnew(tx: Tx, of: SealedTable, sealer: Sealer, rows: readonly SealedRow[]): Promise<string[]> {
  const anew = rows.map((row) => {
    const owner = of.ownerOf(row.id);
    return { ...row, anew: sealer.seal(sealer.open(row.sealed, owner), owner) };
  });
  return replaceSealed(tx, of, anew);
}
