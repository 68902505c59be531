import type { Tx } from '../../postgres/database.ts';

/** How an account that the caller sees stands to a person; undefined: it never met them. */
export function relationBetween(
  tx: Tx,
  accountId: string,
  personId: string,
): Promise<{ state: 'none' | 'pending' | 'connected'; providerId: string | null } | undefined> {
  return tx.row('select state, provider_id as "providerId" from relation where account_id = $1 and person_id = $2', [
    accountId,
    personId,
  ]);
}
