import type { Tx } from '../../postgres/database.ts';
import { grantOwner } from '../integrations/oauth-grants.ts';
import { mailboxOwner } from '../mail/mailboxes.ts';
import { outboxOwner } from '../mail-outbox/mail-outbox.ts';

/** A table whose column `sealed` holds secrets under the installation's key. */
export interface SealedTable {
  table: string;
  /** Its primary key. */
  key: string;
  type: 'text' | 'uuid';
  /** Whose secret a row's is, as the sealer binds it. */
  ownerOf: (id: string) => string;
}

/** All of them. A column `sealed` of another table fails a test until it stands here or is named there with its reason. */
export const SEALED_TABLES: readonly SealedTable[] = [
  { table: 'integration', key: 'id', type: 'text', ownerOf: (id) => `integration:${id}` },
  { table: 'integration_grant', key: 'integration_id', type: 'text', ownerOf: grantOwner },
  { table: 'mailbox', key: 'account_id', type: 'text', ownerOf: mailboxOwner },
  { table: 'calendar_account', key: 'id', type: 'text', ownerOf: (id) => `calendar:${id}` },
  { table: 'mail_outbox', key: 'id', type: 'uuid', ownerOf: outboxOwner },
];

export interface SealedRow {
  id: string;
  sealed: Buffer;
}

/** Before all others; no row has it. */
const LEAST = { text: '', uuid: '00000000-0000-0000-0000-000000000000' };

/** The next secrets of a table in the order of their ids. @param after id of the last one that was read; undefined for the first */
export function sealedRows(
  tx: Tx,
  { table, key, type }: SealedTable,
  after: string | undefined,
  limit: number,
): Promise<SealedRow[]> {
  return tx.rows<SealedRow>(
    `select ${key} as id, sealed
     from ${table}
     where sealed is not null and ${key} > $1
     order by ${key} limit $2`,
    [after ?? LEAST[type], limit],
  );
}

/** Puts a secret in the place of each; one that was changed since it was read stays. @returns ids of those that were replaced */
export async function replaceSealed(
  tx: Tx,
  { table, key, type }: SealedTable,
  rows: readonly (SealedRow & { anew: Buffer })[],
): Promise<string[]> {
  const replaced = await tx.rows<{ id: string }>(
    `update ${table} t
     set sealed = r.anew
     from unnest($1::${type}[], $2::bytea[], $3::bytea[]) as r (id, sealed, anew)
     where t.${key} = r.id and t.sealed = r.sealed
     returning r.id`,
    [rows.map(({ id }) => id), rows.map(({ sealed }) => sealed), rows.map(({ anew }) => anew)],
  );
  return replaced.map(({ id }) => id);
}
