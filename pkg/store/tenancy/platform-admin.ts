import type { Tx } from '../../postgres/database.ts';

export interface PlatformAdmin {
  /** Of a new user; one with this address keeps theirs. */
  id: string;
  email: string;
  name: string;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** Makes the user a platform admin, and the user first where the address is unknown. @returns the user's id */
export async function ensurePlatformAdmin(tx: Tx, { id, email, name, now }: PlatformAdmin): Promise<string> {
  const row = await tx.row<{ id: string }>(
    `insert into app_user (id, email, name, platform_admin, created_at) values ($1, $2, $3, true, $4)
     on conflict (lower(email)) where not unproven do update set platform_admin = true returning id`,
    [id, email, name, now],
  );
  return row?.id ?? '';
}
