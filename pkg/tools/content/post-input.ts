import { z } from 'zod';
import { MAX_FIRST_COMMENT, MAX_POST } from '../../domain/content/post-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { invalidInput, wrongState } from '../errors.ts';
import { requireAccountOf } from '../network-accounts/account-row.ts';

export const previewRecord = z.object({
  length: z.number(),
  limit: z.number(),
  firstLines: z.string(),
  seeMore: z.boolean(),
  linkCard: z.string().nullable(),
  hashtags: z.array(z.string()),
  mentionsMedia: z.number(),
});

export const textParam = z.string().min(1).max(MAX_POST);
export const firstCommentParam = z.string().max(MAX_FIRST_COMMENT).optional();
export const mediaParams = {
  mediaUrls: z
    .array(z.url())
    .max(20)
    .optional()
    .describe('https; pictures up to 10 MB, MP4 up to 48 MB, all together 48 MB.'),
  altTexts: z
    .array(z.string().max(1_000))
    .max(20)
    .optional()
    .describe('What the media show, in the order of mediaUrls.'),
};

/** Media as they were asked for. @throws UserError for an address that is never fetched, or more texts than media */
export function mediaOf(input: { mediaUrls?: string[] | undefined; altTexts?: string[] | undefined }): {
  url: string;
  alt: string;
}[] {
  const { mediaUrls = [], altTexts = [] } = input;
  if (altTexts.length > mediaUrls.length) throw invalidInput('altTexts', 'has more texts than there are mediaUrls');
  return mediaUrls.map((url, place) => {
    if (!url.startsWith('https://')) throw invalidInput(`mediaUrls.${place}`, 'must be an https address');
    return { url, alt: altTexts[place] ?? '' };
  });
}

/** @throws UserError for a text of blanks, which nobody would see */
export function requireWords(path: string, text: string): string {
  if (text.trim() === '') throw invalidInput(path, 'must not be blank');
  return text;
}

/** The account that was named, else the first healthy one that has budget left today, else the first healthy one. @throws UserError */
export async function chooseAccount(tx: Tx, workspaceId: string, named: string | undefined): Promise<string> {
  if (named !== undefined) return requireAccountOf(tx, workspaceId, named);
  const row = await tx.row<{ id: string }>(
    `select a.id
     from account_link l
     join network_account a on a.id = l.account_id
     left join account_budget b on b.account_id = a.id and b.action = 'post'
     where l.workspace_id = $1 and a.kind = 'network'
     order by
       (a.status = 'ok' and not a.paused and not l.paused) desc,
       coalesce(b.used[1] < b.limit_day, true) desc,
       a.created_at,
       a.id
     limit 1`,
    [workspaceId],
  );
  if (!row) throw wrongState('The workspace has no network account that could post', 'svc_list_network_accounts');
  return row.id;
}

/** @throws UserError when the account can not act: nothing would leave at the time that is promised */
export async function requireHealthy(tx: Tx, accountId: string): Promise<void> {
  const row = await tx.row<{ status: string }>('select status from network_account where id = $1', [accountId]);
  if (row?.status === 'ok') return;
  throw wrongState(
    `Account "${accountId}" is ${row?.status ?? 'not linked'}; it can not post`,
    'svc_get_network_account_health',
  );
}
