import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** Rounds of Postgres itself (setting scram_iterations). */
const ROUNDS = 4_096;

/**
 * What Postgres stores of a password, so that the password itself is in no statement and in no log of the server.
 * @returns `SCRAM-SHA-256$rounds:salt$stored key:server key`. Source: RFC 5803, RFC 7677.
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ROUNDS, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
