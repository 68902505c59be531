import { z } from 'zod';
import { CallError } from '../../call-error.ts';
import { askGoogle, type GoogleAccess } from '../../google/google-request.ts';
import { jsonOf } from '../../outside-http.ts';

/** Events of a page, and pages: what changed is little, and all of a calendar is looked at once. */
const PAGE = '250';
const MOST_PAGES = 40;
const EXPIRED = 410;

const pageShape = z.object({
  items: z.array(z.object({ id: z.string(), status: z.string().default('confirmed') })).default([]),
  nextPageToken: z.string().optional(),
  nextSyncToken: z.string().optional(),
});

/** What changed in a calendar. */
export interface GoogleChanges {
  /** Ids of events that were deleted. */
  cancelled: string[];
  /** By which the next look asks for what changed since. */
  token: string;
}

/**
 * What changed since the look that gave the token; without one what lies ahead, with what was deleted of it. The token is asked with what
 * it was given for, and with nothing that bounds the time. @returns null: Google does not know the token any more (410), so that
 * everything is looked at anew
 * @param since epoch ms: from then on, where there is no token
 * @throws CallError
 */
export async function googleChanges(
  access: GoogleAccess & { calendarId: string },
  token: string | null,
  since: number,
  signal: AbortSignal,
): Promise<GoogleChanges | null> {
  const path = ['calendars', access.calendarId, 'events'];
  const of: Record<string, string> = token === null ? { timeMin: new Date(since).toISOString() } : { syncToken: token };
  const cancelled: string[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = {
      ...of,
      showDeleted: 'true',
      maxResults: PAGE,
      fields: 'items(id,status),nextPageToken,nextSyncToken',
      ...(pageToken === undefined ? {} : { pageToken }),
    };
    const answer = await askGoogle(access, { method: 'GET', path, query }, signal, [EXPIRED]);
    if (answer.status === EXPIRED && token !== null) return null;
    const parsed = pageShape.safeParse(jsonOf(answer, true));
    if (answer.status >= 300 || !parsed.success) throw new CallError('busy', 'Google answered in another shape');
    const { items, nextPageToken, nextSyncToken } = parsed.data;
    cancelled.push(...items.filter(({ status }) => status === 'cancelled').map(({ id }) => id));
    // It comes with the last page alone.
    if (nextSyncToken !== undefined) return { cancelled, token: nextSyncToken };
    if (nextPageToken === undefined) throw new CallError('busy', 'Google gave no token for what comes next');
    pageToken = nextPageToken;
  }
  throw new CallError('refused', `more than ${MOST_PAGES * Number(PAGE)} events changed`);
}
