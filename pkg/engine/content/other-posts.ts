import { refsOfPosts } from '../../store/content/post-refs.ts';
import type { EngineDeps } from '../engine-deps.ts';

/** What the network calls the posts that other sends published through the account: the same words among them are not this one. */
export async function otherPosts(deps: EngineDeps, accountId: string, sendId: string): Promise<ReadonlySet<string>> {
  return new Set(await deps.claim.tx((tx) => refsOfPosts(tx, accountId, sendId)));
}
