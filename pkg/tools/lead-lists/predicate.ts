import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { type LeadCriteria, leadFilter } from '../../store/leads/lead-search.ts';
import { invalidInput } from '../errors.ts';
import { requireCriteria, searchCriteria, widestOf } from '../leads/search-input.ts';

/** What a query list may search by. */
const predicateSchema = z.strictObject({
  ...searchCriteria,
  visibility: z.enum(['all', 'shared', 'private']).optional(),
});

/** Parameter of the tools; its content is checked by `parsePredicate`, as the catalog gives it no properties. */
export const predicateParam = z
  .record(z.string(), z.unknown())
  .describe(
    'Stored search: the criteria of svc_search_leads (query, titles, industries, seniorities, companySizes, keywords, locations, tags, campaignId, minScore, hasEmail, visibility).',
  );

/** A predicate that was checked, and the filter that the database searches by. */
export interface Predicate {
  predicate: Record<string, unknown>;
  filter: Record<string, unknown>;
  /** Criterion to narrow when it takes too long. */
  widest: string;
}

/** @throws UserError naming the path of what is wrong, or the campaign that was not found */
export async function parsePredicate(tx: Tx, given: Record<string, unknown>, workspaceId: string): Promise<Predicate> {
  const parsed = predicateSchema.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalidInput(['predicate', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is wrong');
  }
  const criteria: LeadCriteria = parsed.data;
  await requireCriteria(tx, criteria, { workspaceId, prefix: 'predicate.' });
  const filter = leadFilter(criteria);
  // A list of everything there is would be no list.
  if (Object.keys(filter).every((name) => name === 'visibility')) {
    throw invalidInput('predicate', 'needs at least one criterion besides visibility');
  }
  return { predicate: parsed.data, filter, widest: widestOf(criteria) };
}
