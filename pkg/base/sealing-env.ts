import { z } from 'zod';
import { UserError } from './errors.ts';
import { KEY_LENGTH, MAX_OLD_KEYS, Sealer } from './sealer.ts';

/** Keys by which stored secrets are sealed, in the environment; never in arguments, which every process of the machine may read. */
export const sealingEnv = {
  /** Seals and opens. */
  OUTRIDER_SECRETS_KEY: z.string().min(KEY_LENGTH).optional(),
  /** Keys that only open, one a line, at most 8: the one before, until `outrider reseal` has replaced it, or the next one before it seals. */
  OUTRIDER_SECRETS_OLD_KEYS: z
    .string()
    .transform((text) => text.split(/\r?\n/).filter((line) => line !== ''))
    .pipe(
      z
        .array(z.string().min(KEY_LENGTH, `each line is a key of at least ${KEY_LENGTH} characters`))
        .max(MAX_OLD_KEYS, `at most ${MAX_OLD_KEYS} keys, one a line`),
    )
    .optional(),
};

export interface SealingKeys {
  OUTRIDER_SECRETS_KEY?: string | undefined;
  OUTRIDER_SECRETS_OLD_KEYS?: readonly string[] | undefined;
}

/** @returns undefined without a key. @throws UserError for old keys without one that seals */
export function sealerOf({
  OUTRIDER_SECRETS_KEY: key,
  OUTRIDER_SECRETS_OLD_KEYS: old = [],
}: SealingKeys): Sealer | undefined {
  if (key !== undefined) return new Sealer(key, old);
  if (old.length === 0) return undefined;
  throw new UserError(
    'OUTRIDER_SECRETS_OLD_KEYS only open: set OUTRIDER_SECRETS_KEY, which seals, too.',
    'InvalidSettings',
  );
}
