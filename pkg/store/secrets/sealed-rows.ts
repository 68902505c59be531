import type { Tx } from '../../postgres/database.ts';
import { mailboxOwner } from '../mail/mailboxes.ts';

/** A table whose column `sealed` holds secrets under the installation's key. */
export interface SealedTable {
  table: string;
  /** Its primary key, a text. */
  key: string;
  /** Whose secret a row's is, as the sealer binds it. */
  ownerOf: (id: string) => string;
}

/** All of them. A column `sealed` of another table fails a test until it stands here or is named there with its reason. */
export const SEALED_TABLES: readonly SealedTable[] = [
  { table: 'integration', key: 'id', ownerOf: (id) => `integration:${id}` },
  { table: 'mailbox', key: 'account_id', ownerOf: mailboxOwner },
  { table: 'calendar_account', key: 'id', ownerOf: (id) => `calendar:${id}` },
];

export interface SealedRow {
  id: string;
  sealed: Buffer;
}

/** The next secrets of a table in the order of their ids. @param after id of the last one that was read; '' for the first */
export function sealedRows(tx: Tx, { table, key }: SealedTable, after: string, limit: number): Promise<SealedRow[]> {
  return tx.rows<SealedRow>(
    `select ${key} as id, sealed
     from ${table}
     where sealed is not null and ${key} > $1
     order by ${key} limit $2`,
    [after, limit],
  );
}

/** Puts a secret in the place of each; one that was changed since it was read stays. @returns ids of those that were replaced */
export async function replaceSealed(
  tx: Tx,
  { table, key }: SealedTable,
  rows: readonly (SealedRow & { anew: Buffer })[],
): Promise<string[]> {
  const replaced = await tx.rows<{ id: string }>(
    `update ${table} t
     set sealed = r.anew
     from unnest($1::text[], $2::bytea[], $3::bytea[]) as r (id, sealed, anew)
     where t.${key} = r.id and t.sealed = r.sealed
     returning r.id`,
    [rows.map(({ id }) => id), rows.map(({ sealed }) => sealed), rows.map(({ anew }) => anew)],
  );
  return replaced.map(({ id }) => id);
}
