import { createHash, randomBytes } from 'node:crypto';

/** What only its holder knows; 256 bits, in letters that need no escape in an address or a cookie. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The only form that is stored. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Whether a text may be such a token. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
