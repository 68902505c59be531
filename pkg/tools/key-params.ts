import { z } from 'zod';

const SAME_KEY =
  'Same key, same workspace, same tool: the first result is returned again and nothing is sent or charged twice.';

const key = z.string().min(1).max(128).optional();

/** `idempotencyKey` of tools that do no harm when they are called again. Source: catalog conventions. */
export const keyParam = key.describe(SAME_KEY);

/** `idempotencyKey` of tools for which the natural key stands where the caller gives none. Source: catalog conventions. */
export const naturalKeyParam = key.describe(
  `${SAME_KEY} Without a key, the same call within 60 s counts as the first one made again; to repeat it on purpose, give each call a key of its own.`,
);
