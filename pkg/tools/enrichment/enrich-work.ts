import { z } from 'zod';
import { ENRICH_FIELDS } from '../../domain/enrichment/enrich-fields.ts';

/** A lead, or a company, that is still to be asked for. */
const enrichItem = z.object({
  id: z.string(),
  /** Of a lead; empty for a company, which is asked for as a whole. */
  fields: z.array(z.enum(ENRICH_FIELDS)).default([]),
  /** Not before this, epoch ms product time. */
  notBefore: z.number().default(0),
});
export type EnrichItem = z.output<typeof enrichItem>;

/** Where an enrichment job stands; total = found + notFound + failed + what is open. Leads and companies are counted, not fields. */
export const enrichWork = z.object({
  open: z.array(enrichItem).default([]),
  total: z.number().default(0),
  found: z.number().default(0),
  notFound: z.number().default(0),
  failed: z.number().default(0),
  /** Credits of what was found so far. */
  credits: z.number().default(0),
});
export type EnrichWork = z.output<typeof enrichWork>;
