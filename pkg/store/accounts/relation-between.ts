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

/**
 * Keeps by which id the account knows a person who wrote to it: what they said before becomes theirs (app.hear_whom_it_met). It never
 * takes an id back.
 */
export async function meetPerson(tx: Tx, accountId: string, personId: string, providerId: string): Promise<void> {
  await tx.exec(
    `insert into relation as r (account_id, person_id, provider_id, state) values ($1, $2, $3, 'none')
     on conflict (account_id, person_id) do update set provider_id = excluded.provider_id
     where r.provider_id is null`,
    [accountId, personId, providerId],
  );
}
