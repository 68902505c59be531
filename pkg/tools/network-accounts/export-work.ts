import { z } from 'zod';

const rowError = z.object({ row: z.number(), field: z.string().nullable(), message: z.string() });

/** Where an export stands. */
export const exportWork = z.object({
  leadListId: z.string(),
  incremental: z.boolean(),
  /** Connections that the held credits pay for. */
  paidFor: z.number(),
  cursor: z.string().nullable().default(null),
  pages: z.number().default(0),
  blanks: z.number().default(0),
  total: z.number().default(0),
  created: z.number().default(0),
  updated: z.number().default(0),
  skipped: z.number().default(0),
  failed: z.number().default(0),
  suppressed: z.number().default(0),
  errors: z.array(rowError).default([]),
});
export type ExportWork = z.output<typeof exportWork>;
