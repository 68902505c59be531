import { z } from 'zod';

/** `idempotencyKey` of tools that send, publish or charge. Source: catalog conventions. */
export const naturalKeyParam = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe(
    'Same key, same workspace, same tool: the first result is returned again and nothing is sent or charged twice. Without a key, the same call within 60 s counts as the first one made again; to repeat it on purpose, give each call a key of its own.',
  );
