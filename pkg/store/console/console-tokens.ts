import { randomBytes } from 'node:crypto';

/** What only its holder knows; 256 bits, in letters that need no escape in an address or a cookie. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text may be such a token. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
