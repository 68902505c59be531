import { z } from 'zod';
import { UserError } from '../base/errors.ts';
import { tookTooLong } from './bounded-search.ts';
import type { ToolContext } from './tool-context.ts';

/** Parameters of every paged tool. Source: catalog conventions. */
export const pageParams = {
  limit: z.int().min(1).max(100).default(25),
  cursor: z.string().min(1).optional().describe('nextCursor of the page before.'),
};

/** One page of rows and the mark of the next. */
export interface Page<R> {
  rows: R[];
  nextCursor: string | null;
}

/**
 * Keyset paging: asks for one row more than the page holds and marks the last row that is shown.
 * @param filters what the cursor is bound to besides tool and key
 * @param query given the position (null: first page) and the number of rows to fetch
 * @param positionOf sort values of a row
 */
export async function pageOf<R>(
  ctx: ToolContext,
  tool: string,
  input: { limit: number; cursor?: string | undefined },
  filters: object,
  query: (position: readonly (string | number | null)[] | null, fetch: number) => Promise<R[]>,
  positionOf: (row: R) => readonly (string | number | null)[],
): Promise<Page<R>> {
  const position = ctx.cursors.decode(tool, filters, input.cursor);
  const found = await query(position, input.limit + 1).catch((error: unknown) => {
    throw tookTooLong(error) ? tooWide(filters) : error;
  });
  const rows = found.slice(0, input.limit);
  const last = rows.at(-1);
  const more = found.length > input.limit && last !== undefined;
  return { rows, nextCursor: more ? ctx.cursors.encode(tool, filters, positionOf(last)) : null };
}

/** What a page that took too long says: which filters were given, or that there are none. */
function tooWide(filters: object): UserError {
  const given = Object.entries(filters).flatMap(([name, value]) =>
    name === 'workspaceId' || value === undefined || value === null || value === false ? [] : [`"${name}"`],
  );
  const narrow = given.length > 0 ? `Narrow ${given.join(', ')} or leave it out` : 'Name one more filter';
  return new UserError(`The list took too long and was ended. ${narrow}, and call it again.`, 'SearchTooWide');
}
