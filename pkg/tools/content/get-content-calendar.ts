import { z } from 'zod';
import { localOf } from '../../domain/content/wall-clock.ts';
import type { Tx } from '../../postgres/database.ts';
import { type ContentPost, postDays, postsBetween } from '../../store/content/content-posts.ts';
import { cut } from '../compact.ts';
import { invalidInput } from '../errors.ts';
import { requireAccount } from '../network-accounts/account-row.ts';
import { pageOf, pageParams } from '../paging.ts';
import { dateTime, iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Source: catalog svc_get_content_calendar. */
const MOST_DAYS = 92;

const input = z.strictObject({
  workspaceId: workspaceParam,
  fromDate: dateTime,
  toDate: dateTime,
  networkAccountId: z.string().min(1).optional(),
  ...pageParams,
});

export const getContentCalendar = tool({
  name: 'svc_get_content_calendar',
  domain: 'Content',
  title: 'Get content calendar',
  description:
    'Shows scheduled and published posts between two dates with gaps and clashes. Next: svc_schedule_content_post.',
  example: { input: { fromDate: '2026-03-01T00:00:00Z', toDate: '2026-03-31T00:00:00Z' } },
  scope: 'content:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({
    entries: z.array(
      z.object({
        contentPostId: z.string(),
        state: z.string(),
        at: z.string(),
        title: z.string(),
        networkAccountId: z.string(),
        clash: z.boolean().describe('Another post of the account is within an hour.'),
      }),
    ),
    emptyDays: z.array(z.string()).describe("Days of the workspace's zone without a post."),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, given) {
    const of = rangeOf(ctx.workspaceId, given);
    return ctx.tx(async (tx) => {
      if (given.networkAccountId !== undefined) await requireAccount(tx, given.networkAccountId);
      const page = await pageOf(
        ctx,
        'svc_get_content_calendar',
        given,
        of,
        (after, limit) => postsBetween(tx, of, { after, limit }),
        (row) => [timeOf(row), row.id],
      );
      const times = await postDays(tx, { ...of, from: of.from - HOUR_MS, until: of.until + HOUR_MS });
      const entries = page.rows.map((row) => ({
        contentPostId: row.id,
        state: row.state,
        at: iso(timeOf(row)),
        title: cut(row.text.split('\n')[0] ?? ''),
        networkAccountId: row.accountId,
        clash: times.some(
          (other) =>
            other.id !== row.id && other.accountId === row.accountId && Math.abs(other.at - timeOf(row)) < HOUR_MS,
        ),
      }));
      return { entries, emptyDays: await emptyDays(tx, of, times), nextCursor: page.nextCursor };
    });
  },
});

interface Range {
  workspaceId: string;
  accountId: string | null;
  /** Epoch ms. */
  from: number;
  until: number;
}

function rangeOf(workspaceId: string, given: z.output<typeof input>): Range {
  const [from, until] = [Date.parse(given.fromDate), Date.parse(given.toDate)];
  if (until <= from) throw invalidInput('toDate', 'must lie after fromDate');
  if (until - from > MOST_DAYS * DAY_MS)
    throw invalidInput(
      'toDate',
      `must be within ${MOST_DAYS} days of fromDate; call svc_get_content_calendar for each part`,
    );
  return { workspaceId, accountId: given.networkAccountId ?? null, from, until };
}

function timeOf(post: ContentPost): number {
  return post.publishedAt ?? post.scheduledAt ?? 0;
}

/** Days of the range without a post, by the wall clock of the workspace. */
async function emptyDays(tx: Tx, of: Range, times: readonly { at: number }[]): Promise<string[]> {
  const row = await tx.row<{ timezone: string }>('select timezone from workspace where id = $1', [of.workspaceId]);
  const timezone = row?.timezone ?? 'UTC';
  const taken = new Set(times.map(({ at }) => localOf(at, timezone).slice(0, 10)));
  const days = new Set<string>();
  // Half a day at a time: no day of a clock change is passed over.
  for (let at = of.from; at < of.until; at += DAY_MS / 2) days.add(localOf(at, timezone).slice(0, 10));
  return [...days].filter((day) => !taken.has(day));
}
