import { isSamePost, type SoughtPost } from '../../domain/content/same-post.ts';
import {
  type AccountRef,
  type NetworkProvider,
  type OwnPost,
  ProviderError,
} from '../../providers/network/network-provider.ts';

/** Pages of an account's posts that are looked through at most. */
const MAX_PAGES = 5;

/**
 * Looks for a post among those of its account, the newest first.
 * @returns null: it is not there
 * @throws ProviderError where the provider shows no posts, or more than can be looked through
 */
export async function findPost(
  provider: NetworkProvider,
  account: AccountRef,
  sought: SoughtPost,
  signal?: AbortSignal,
): Promise<OwnPost | null> {
  if (!provider.listOwnPosts)
    throw new ProviderError('unsupported', 'the provider does not show the posts of an account');
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const options = { limit: 50, ...(cursor ? { cursor } : {}), ...(signal ? { signal } : {}) };
    const found = await provider.listOwnPosts(account, options);
    const same = found.items.find((item) => isSamePost(item, sought));
    if (same) return same;
    const older = found.items.some((item) => item.postedAt !== null && item.postedAt < sought.since);
    if (!found.cursor || older) return null;
    cursor = found.cursor;
  }
  throw new ProviderError('unavailable_before_send', 'the account has too many posts to look through');
}
