import type { JsonObject } from '../../base/json.ts';
import type { RefusalKind } from '../../nodes/node-type.ts';
import { type NetworkComment, type Page, ProviderError } from '../../providers/network/network-provider.ts';
import { accountOf, type Preparation } from './preparation.ts';
import { targetText } from './target-text.ts';

const DAY_MS = 86_400_000;

/** Pages of comments that are looked through for one of our own. */
const COMMENT_PAGES = 5;

/** The post that the action names: nothing is said below it a second time. */
async function namedPost(given: Preparation, postId: string): Promise<JsonObject> {
  const { action } = given.effect.request.claim;
  if (action === 'comment' && (await hasCommented(given, postId)))
    throw new ProviderError('rejected', 'the account has commented on this post before');
  return { postId };
}

/**
 * The newest post of the person's own that is young enough and may be reacted to or commented on. Where the account has commented
 * already, by hand or before a backup was restored, it says nothing a second time.
 */
export async function choosePost(given: Preparation, target: JsonObject): Promise<JsonObject | RefusalKind> {
  const { provider, effect, signal, deps } = given;
  const { action } = effect.request.claim;
  const named = targetText(target, 'postId');
  if (named) return namedPost(given, named);
  const oldest = deps.clock.now() - numberOf(target, 'maxPostAgeDays') * DAY_MS;
  const posts = await provider.listPosts(accountOf(effect), targetText(target, 'providerId') ?? '', signal);
  for (const post of posts) {
    if (post.repost || post.postedAt < oldest || !(action === 'like' ? post.canReact : post.canComment)) continue;
    if (action === 'comment' && (await hasCommented(given, post.postId))) continue;
    return { postId: post.postId };
  }
  return 'no_post';
}

async function hasCommented({ provider, effect, signal }: Preparation, postId: string): Promise<boolean> {
  let cursor: string | null = null;
  for (let page = 0; page < COMMENT_PAGES; page++) {
    const options = { limit: 100, signal, ...(cursor ? { cursor } : {}) };
    const found: Page<NetworkComment> = await provider.listComments(accountOf(effect), postId, options);
    if (found.items.some((comment) => comment.own)) return true;
    if (!found.cursor || found.items.length === 0) return false;
    cursor = found.cursor;
  }
  return false;
}

/** Skills that this account has not endorsed yet, as many as the node says. */
export async function chooseSkills(given: Preparation, target: JsonObject): Promise<JsonObject | RefusalKind> {
  const { provider, effect, signal } = given;
  const found = await provider.listSkills(accountOf(effect), targetText(target, 'providerId') ?? '', signal);
  if (!found.connected) return 'not_connected';
  const skillIds = found.skills
    .flatMap((skill) => (skill.skillId === null || skill.endorsed ? [] : [skill.skillId]))
    .slice(0, numberOf(target, 'maxSkills'));
  return skillIds.length > 0 ? { skillIds } : 'rejected';
}

/** With `openProfilesOnly` no credit may be spent: a profile that is not open takes the outcome of a missing credit. */
export async function inMailObstacle(given: Preparation, target: JsonObject): Promise<RefusalKind | null> {
  if (target['openProfilesOnly'] !== true) return null;
  const { provider, effect, signal } = given;
  const providerId = targetText(target, 'providerId') ?? '';
  const profile = await provider.lookupProfile(accountOf(effect), { providerId }, signal);
  return profile.openProfile === true ? null : 'no_credits';
}

function numberOf(target: JsonObject, key: string): number {
  const value = target[key];
  return typeof value === 'number' ? value : 0;
}
