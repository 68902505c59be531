import { z } from 'zod';

/** `idempotencyKey` of tools that send, publish or charge. Source: catalog conventions. */
export const naturalKeyParam = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe('The same key answers the same again, sent and charged once; without one, the same call within 60 s does.');
