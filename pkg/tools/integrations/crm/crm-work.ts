import { z } from 'zod';

const rowError = z.object({ row: z.number(), field: z.string().nullable(), message: z.string() });
const counted = z.number().default(0);

/** Where the import of a list stands. */
export const importWork = z.object({
  integrationId: z.string(),
  /** Of `provider_list`. */
  listId: z.string(),
  cursor: z.string().nullable().default(null),
  /** How often in a row the vendor asked for patience. */
  waits: counted,
  pages: counted,
  blanks: counted,
  total: counted,
  created: counted,
  updated: counted,
  skipped: counted,
  failed: counted,
  suppressed: counted,
  excluded: counted,
  errors: z.array(rowError).default([]),
});
export type ImportWork = z.output<typeof importWork>;

/** What a comparison did; numbers of persons. */
const done = z.object({
  created: counted,
  updated: counted,
  excluded: counted,
  told: counted,
  pushed: counted,
  left: counted,
});

/** Where a comparison with a CRM stands: lists that are kept in sync, one after the other, then all who are known there. */
export const syncWork = z.object({
  integrationId: z.string(),
  waits: counted,
  /** The list under way, the pass over it, and where that stands. */
  list: z
    .object({
      id: z.string(),
      passId: z.string(),
      cursor: z.string().nullable(),
      met: z.number(),
      pages: z.number(),
      blanks: counted,
    })
    .nullable()
    .default(null),
  /** The last list that is done; null: none yet. */
  listsAfter: z.string().nullable().default(null),
  /** The last person who is done; null: the lists come first. */
  peopleAfter: z.string().nullable().default(null),
  done: done.prefault({}),
});
export type SyncWork = z.output<typeof syncWork>;

/** Pages of a list at most: a vendor whose pages never end is left. */
export const MOST_PAGES = 5_000;
