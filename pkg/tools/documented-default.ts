import type { z } from 'zod';

/** What applies when nothing was ever set. Told in the schema only: a change must not bring defaults in. */
export const documentedDefault = <T extends z.ZodType>(schema: T, value: string | number | boolean) =>
  schema.optional().meta({ default: value });
