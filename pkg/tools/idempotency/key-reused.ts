import { UserError } from '../../base/errors.ts';

/** The same idempotencyKey with other input, wherever it is found out. Source: design, section 6. */
export function keyReused(): UserError {
  return new UserError(
    'Invalid input: idempotencyKey: was used with other input. Use a new key, or repeat the same input.',
    'IdempotencyMismatch',
  );
}
