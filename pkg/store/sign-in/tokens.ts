import { randomBytes } from 'node:crypto';

/** Seconds for which an access token is good. */
export const ACCESS_SECONDS = 1_800;
/** Days for which a grant may rest: each renewal begins them anew. */
export const REFRESH_DAYS = 30;
/** Seconds that a client has to fetch what a person allowed. */
export const CODE_SECONDS = 60;

/** Bytes of chance in a code or a token. */
const CHANCE = 32;
/** Characters of a token that tell people which grant it is of. */
export const PREFIX_LENGTH = 8;

/** A new grant's mark: the first characters of its access tokens, as a user key shows them. */
export function grantPrefix(): string {
  return `cso_${randomBytes(2).toString('hex')}`;
}

/** An access token. @param prefix its grant's */
export function newAccessToken(prefix: string): string {
  return `${prefix}${randomBytes(CHANCE).toString('base64url')}`;
}

/** A refresh token. */
export function newRefreshToken(): string {
  return `csr_${randomBytes(CHANCE).toString('base64url')}`;
}

/** A code. */
export function newCode(): string {
  return `csc_${randomBytes(CHANCE).toString('base64url')}`;
}
