import { UserError } from '../base/errors.ts';
import type { Tx } from '../postgres/database.ts';

/** A search that takes longer than this, real ms, is ended and its caller told what to narrow. */
export const SEARCH_TIMEOUT_MS = 3_000;

/** SQLSTATE of a statement that its timeout ended. */
const CANCELLED = '57014';

/**
 * Runs a search under a statement timeout.
 * @param widest name of the filter to narrow
 * @param work gets what its statements must run in
 * @throws UserError when it took too long; a transaction is lost then
 */
export async function boundedSearch<T>(
  tx: Tx,
  widest: string,
  work: (tx: Tx) => Promise<T>,
  timeoutMs = SEARCH_TIMEOUT_MS,
): Promise<T> {
  try {
    return await tx.limited(timeoutMs, work);
  } catch (error) {
    if (!tookTooLong(error)) throw error;
    throw new UserError(
      `The search took longer than ${timeoutMs / 1_000} s and was ended. Narrow ${widest} and call it again.`,
      'SearchTooWide',
    );
  }
}

/** Reads figures over a span of history. @throws UserError when it took longer than a read may; a transaction is lost then */
export async function boundedHistory<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!tookTooLong(error)) throw error;
    const cause = 'The history of this span took too long to read and the call was ended';
    throw new UserError(`${cause}. Give a fromDate that is not so long ago, and call it again.`, 'SearchTooWide');
  }
}

/** Whether the server ended a statement that reached its time limit. */
export function tookTooLong(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === CANCELLED;
}

/** Texts shorter than this are in no index of three-letter groups. */
const SHORTEST_INDEXED = 3;

/**
 * The filter that costs most: one with texts too short for the index, else the list with most entries, else the words.
 * @param filters the lists of a request by name, in the order of their usual cost
 */
export function widestFilter(filters: Readonly<Record<string, readonly string[] | string | undefined>>): string {
  const given = Object.entries(filters).flatMap(([name, value]): [string, readonly string[]][] => {
    const list = typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : (value ?? []);
    return list.length > 0 ? [[name, list]] : [];
  });
  const short = given.find(([, list]) => list.some((text) => text.trim().length < SHORTEST_INDEXED));
  if (short) return `"${short[0]}" (an entry has fewer than ${SHORTEST_INDEXED} characters)`;
  const longest = [...given].sort((a, b) => b[1].length - a[1].length)[0];
  return longest ? `"${longest[0]}"` : '"query" (give one)';
}
