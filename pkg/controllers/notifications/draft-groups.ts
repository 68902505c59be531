import { noticeWords } from '../../domain/notifications/notice-words.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Tx } from '../../postgres/database.ts';
import { closeGroups, type DraftGroup, lockDraftGroups, rewordGroup } from '../../store/notifications/draft-groups.ts';
import { readEventNames, readWaitingDrafts } from '../../store/notifications/event-names.ts';

const KEY = 'review.pending:';

/**
 * Tells anew, in place, how many drafts of these campaigns wait; what tells of drafts none of which waits any more is read: nobody has
 * to look at it, and no mail goes. Platform only.
 * @param now epoch ms, product time
 */
export async function refreshDraftGroups(
  tx: Tx,
  workspaceId: string,
  campaigns: readonly string[],
  now: number,
): Promise<void> {
  if (campaigns.length === 0) return;
  const groups = await lockDraftGroups(
    tx,
    workspaceId,
    campaigns.map((id) => `${KEY}${id}`),
  );
  if (groups.length === 0) return;
  const drafts = await readWaitingDrafts(tx, workspaceId, campaigns);
  const names = await readEventNames(tx, workspaceId, { campaigns, accounts: [] });
  const campaignOf = ({ groupKey }: DraftGroup): string => groupKey.slice(KEY.length);
  const over = groups.filter((group) => !drafts.has(campaignOf(group)));
  await closeGroups(
    tx,
    over.map(({ id }) => id),
    now,
  );
  for (const group of groups) {
    const stand = drafts.get(campaignOf(group));
    if (!stand || stand.waiting === group.data['waiting']) continue;
    const { leadId: _l, runId: _r, nodeId: _n, reviewItemId: _i, ...rest } = group.data;
    const campaign = names.campaigns.get(campaignOf(group)) ?? null;
    const data = { ...rest, ...stand, campaignTitle: campaign };
    const told = { count: group.events, campaign, account: null, data, now };
    const words = noticeWords('review.pending', EVENT_DEFINITIONS['review.pending'].says, told);
    await rewordGroup(tx, group.id, { ...words, data, nextTool: 'svc_list_review_items' });
  }
}
