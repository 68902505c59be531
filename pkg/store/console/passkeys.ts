import type { Tx } from '../../postgres/database.ts';

/** Passkeys of a user at most. */
export const MOST_PASSKEYS = 20;

export interface Passkey {
  id: string;
  userId: string;
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  name: string;
  /** Epoch ms, real time. */
  madeAt: number;
  usedAt: number | null;
}

const PASSKEY = `
  id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey", counter, transports, name,
  (extract(epoch from made_at) * 1000)::float8 as "madeAt", (extract(epoch from used_at) * 1000)::float8 as "usedAt"`;

/** Those of a user, the oldest first. */
export function passkeysOf(tx: Tx, userId: string): Promise<Passkey[]> {
  return tx.rows(`select ${PASSKEY} from console_passkey where user_id = $1 order by made_at, id`, [userId]);
}

/** The one of this name of a device, locked: two uses of it come one after the other. */
export function findPasskey(tx: Tx, credentialId: Buffer): Promise<Passkey | undefined> {
  return tx.row(`select ${PASSKEY} from console_passkey where credential_id = $1 for update`, [credentialId]);
}

/** @returns false when the user has as many as may be, or somebody has this one */
export async function keepPasskey(tx: Tx, passkey: Omit<Passkey, 'madeAt' | 'usedAt'>): Promise<boolean> {
  // Those that are made at once count each other.
  await tx.row('select 1 from app_user where id = $1 for no key update', [passkey.userId]);
  const made = await tx.exec(
    `insert into console_passkey (id, user_id, credential_id, public_key, counter, transports, name)
     select $1, $2, $3, $4, $5, $6, $7
     where (select count(*) from console_passkey p where p.user_id = $2) < $8
     on conflict (credential_id) do nothing`,
    [
      passkey.id,
      passkey.userId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.name,
      MOST_PASSKEYS,
    ],
  );
  return made > 0;
}

/** Notes that it was used. @returns its user, while they may sign in; undefined: they may not */
export async function usePasskey(tx: Tx, id: string, counter: number): Promise<string | undefined> {
  const row = await tx.row<{ userId: string }>(
    `update console_passkey p
     set counter = $2, used_at = clock_timestamp()
     from app_user u
     where p.id = $1 and u.id = p.user_id and not u.unproven
     returning p.user_id as "userId"`,
    [id, counter],
  );
  return row?.userId;
}

/** @returns whether the user had it */
export async function removePasskey(tx: Tx, userId: string, id: string): Promise<boolean> {
  return (await tx.exec('delete from console_passkey where id::text = $2 and user_id = $1', [userId, id])) > 0;
}

/** Takes all of a user: somebody else may have made one. */
export async function removePasskeysOf(tx: Tx, userId: string): Promise<void> {
  await tx.exec('delete from console_passkey where user_id = $1', [userId]);
}
