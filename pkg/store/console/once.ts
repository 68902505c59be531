import type { Tx } from '../../postgres/database.ts';
import { hashToken } from '../tenancy/invitations.ts';

/** What a browser has to bring back once: the state of a way to an OpenID provider, the challenge of a passkey. */
export type OnceKind = 'oidc' | 'passkey' | 'new_passkey';

/** Real minutes for which it may be brought back. */
export const ONCE_MINUTES = 10;

/** Keeps what is to come back. @param userId whose it is; null: nobody is signed in yet */
export async function keepOnce(
  tx: Tx,
  once: { id: string; kind: OnceKind; token: string; userId: string | null },
): Promise<void> {
  await tx.exec(
    `insert into console_link (id, token_hash, kind, user_id, expires_at)
     values ($1, $2, $3, $4, clock_timestamp() + make_interval(mins => $5))`,
    [once.id, hashToken(once.token), once.kind, once.userId, ONCE_MINUTES],
  );
}

/** Takes what came back, once. @returns whether it was kept, for this user, and neither used nor over */
export async function takeOnce(
  tx: Tx,
  { kind, token, userId }: { kind: OnceKind; token: string; userId: string | null },
): Promise<boolean> {
  const taken = await tx.exec(
    `delete from console_link
     where token_hash = $1
       and kind = $2
       and user_id is not distinct from $3::uuid
       and expires_at > clock_timestamp()`,
    [hashToken(token), kind, userId],
  );
  return taken > 0;
}
