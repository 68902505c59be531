import type { Tx } from '../../postgres/database.ts';
import { hashToken } from '../tenancy/invitations.ts';
import { CODE_SECONDS, newCode } from './tokens.ts';

/** Answers of a person in a day, which is as long as a code is remembered. */
const MOST_CODES = 100;

/** What a person allowed a client. */
export interface Consent {
  /** Of the form that was sent. */
  consentId: string;
  clientId: string;
  clientName: string;
  redirectUri: string;
  /** PKCE, S256. */
  challenge: string;
  userId: string;
  scopes: readonly string[];
  workspaces: readonly string[];
  mayReach: boolean;
}

/** A code that was shown, with what it stands for. */
export interface ShownCode extends Consent {
  /** Whether it may still be used: it was not, and its time is not over. */
  open: boolean;
  /** Whether it was shown before. */
  used: boolean;
  /** The grant that came of it. */
  keyId: string | null;
}

/** Makes a code; undefined when this form made one already. Needs a platform transaction. */
export async function makeCode(tx: Tx, consent: Consent): Promise<string | undefined> {
  const code = newCode();
  const made = await tx.exec(
    `insert into sign_in_code (
       code_hash, consent_id, client_id, client_name, redirect_uri, challenge, user_id, scopes, workspaces,
       may_reach, expires_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp() + make_interval(secs => $11))
     on conflict (consent_id) do nothing`,
    [
      hashToken(code),
      consent.consentId,
      consent.clientId,
      consent.clientName,
      consent.redirectUri,
      consent.challenge,
      consent.userId,
      consent.scopes,
      consent.workspaces,
      consent.mayReach,
      CODE_SECONDS,
    ],
  );
  return made === 1 ? code : undefined;
}

/** Whether a person has allowed so much today that no honest client is behind it. Needs a platform transaction. */
export async function hasManyCodes(tx: Tx, userId: string): Promise<boolean> {
  const row = await tx.row<{ many: boolean }>('select count(*) >= $2 as many from sign_in_code where user_id = $1', [
    userId,
    MOST_CODES,
  ]);
  return row?.many ?? false;
}

/** Uses a code up, whatever becomes of it; those who show it at once wait for each other. Needs a platform transaction. */
export async function useCode(tx: Tx, code: string): Promise<ShownCode | undefined> {
  const hash = hashToken(code);
  const found = await tx.row<ShownCode>(
    `select
       consent_id as "consentId", client_id as "clientId", client_name as "clientName", challenge,
       redirect_uri as "redirectUri", user_id as "userId", scopes, workspaces, may_reach as "mayReach",
       used_at is null and expires_at > clock_timestamp() as open, used_at is not null as used, key_id as "keyId"
     from sign_in_code
     where code_hash = $1
     for update`,
    [hash],
  );
  if (found)
    await tx.exec('update sign_in_code set used_at = clock_timestamp() where code_hash = $1 and used_at is null', [
      hash,
    ]);
  return found;
}

/** Notes which grant came of a code, so that showing it again ends that grant. */
export async function noteGrant(tx: Tx, code: string, keyId: string): Promise<void> {
  await tx.exec('update sign_in_code set key_id = $2 where code_hash = $1', [hashToken(code), keyId]);
}
