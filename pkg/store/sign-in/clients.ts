import type { Tx } from '../../postgres/database.ts';

/** A client of the sign-in, as it says of itself. */
export interface SignInClient {
  id: string;
  name: string;
  redirectUris: readonly string[];
}

/** Clients that may wait for their first grant. */
const MAX_CLIENTS = 10_000;
/** Who wants to register where there is no room takes the place of the oldest one that was not used for so long. */
const MAKES_ROOM_AFTER = '10 minutes';
/** An honest client comes back with the person that it sent here, within minutes. */
const UNUSED_AFTER = '1 day';
/** Of one that was used: longer than its grants last without it. */
const FORGOTTEN_AFTER = '90 days';

/** Keeps a client. Needs a platform transaction. @returns false when there are too many that wait for their first use */
export async function registerClient(tx: Tx, client: SignInClient): Promise<boolean> {
  // Those that register at once count each other.
  await tx.row(`select pg_advisory_xact_lock(hashtext('sign_in_client'))`);
  const row = await tx.row<{ clients: number }>('select count(*)::int as clients from sign_in_client');
  if ((row?.clients ?? 0) >= MAX_CLIENTS) {
    const gone = await tx.exec(
      `delete from sign_in_client
       where id = (
         select id from sign_in_client
         where used_at is null and registered_at < clock_timestamp() - $1::interval
         order by registered_at limit 1
       )`,
      [MAKES_ROOM_AFTER],
    );
    if (gone === 0) return false;
  }
  await tx.exec('insert into sign_in_client (id, name, redirect_uris) values ($1, $2, $3)', [
    client.id,
    client.name,
    client.redirectUris,
  ]);
  return true;
}

/** A client that registered itself. Needs a platform transaction. */
export function findClient(tx: Tx, id: string): Promise<SignInClient | undefined> {
  return tx.row<SignInClient>('select id, name, redirect_uris as "redirectUris" from sign_in_client where id = $1', [
    id,
  ]);
}

/** Notes that a grant of it was made or renewed. */
export async function touchClient(tx: Tx, id: string): Promise<void> {
  await tx.exec('update sign_in_client set used_at = clock_timestamp() where id = $1', [id]);
}

/** Forgets clients that nobody used, and those whose last grant is long gone. Needs a platform transaction. */
export async function forgetClients(tx: Tx): Promise<void> {
  await tx.exec(
    `delete from sign_in_client c
     where (
         (c.used_at is null and c.registered_at < clock_timestamp() - $1::interval)
         or c.used_at < clock_timestamp() - $2::interval
       )
       and not exists (select 1 from api_key k where k.client_id = c.id and k.revoked_at is null)`,
    [UNUSED_AFTER, FORGOTTEN_AFTER],
  );
}
