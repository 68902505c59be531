import { z } from 'zod';

/** Where a job that reads profiles stands. */
export const scrapeWork = z.object({
  leadListId: z.string().nullable(),
  campaignId: z.string().nullable(),
  total: z.number(),
  found: z.number().default(0),
  notFound: z.number().default(0),
  failed: z.number().default(0),
});
export type ScrapeWork = z.output<typeof scrapeWork>;
