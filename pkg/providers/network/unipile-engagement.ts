import type { z } from 'zod';
import {
  type AccountRef,
  type NetworkAction,
  type NetworkComment,
  type NetworkPost,
  type NetworkSkill,
  type Page,
  type PageOptions,
  type PerformOptions,
  type PerformResult,
  ProviderError,
} from './network-provider.ts';
import * as answers from './unipile-answers.ts';
import type { UnipileCall } from './unipile-http.ts';
import { shownPerson } from './unipile-person.ts';

/** What is asked for without an effect; a `GET` unless it says another method. */
export type UnipileQuestion = Pick<UnipileCall, 'path' | 'query' | 'signal'> &
  Partial<Pick<UnipileCall, 'method' | 'json'>>;

/** How the adapter carries effects and reads; each checks the answer. */
export interface UnipileWire {
  effect<S extends z.ZodType>(
    schema: S,
    call: UnipileCall,
    action: { kind: NetworkAction['kind'] | 'post' },
  ): Promise<z.infer<S>>;
  read<S extends z.ZodType>(schema: S, call: UnipileQuestion): Promise<z.infer<S>>;
  /** As a read; null where the network has no such thing. */
  find<S extends z.ZodType>(schema: S, call: UnipileQuestion): Promise<z.infer<S> | null>;
  /** A page of a list, of 100 at most. @param more parameters of its own */
  list<S extends z.ZodType>(
    schema: S,
    path: readonly string[],
    account: AccountRef,
    options: PageOptions,
    more?: Readonly<Record<string, string | undefined>>,
  ): Promise<z.infer<S>>;
}

type Common = PerformOptions & { effect: true };

/** Owner ids kept at most; an account's owner never changes. */
const MAX_OWNERS = 1_000;

/** What is done to posts and profiles: reactions, comments, endorsements, and the lists that they are chosen from. */
export class UnipileEngagement {
  readonly #wire: UnipileWire;
  readonly #owners = new Map<string, string>();

  constructor(wire: UnipileWire) {
    this.#wire = wire;
  }

  /** @throws ProviderError */
  async react(account_id: string, action: NetworkAction, common: Common): Promise<PerformResult> {
    const { postId } = withPost(action);
    const json = { account_id, post_id: postId, reaction_type: action.reaction ?? 'like' };
    const call: UnipileCall = { ...common, method: 'POST', path: ['posts', 'reaction'], json };
    await this.#wire.effect(answers.reactionAnswer, call, action);
    return { ref: postId };
  }

  /** @throws ProviderError */
  async comment(account_id: string, action: NetworkAction, common: Common): Promise<PerformResult> {
    const { postId } = withPost(action);
    const json = { account_id, text: action.text ?? '' };
    const call: UnipileCall = { ...common, method: 'POST', path: ['posts', postId, 'comments'], json };
    const done = await this.#wire.effect(answers.commentAnswer, call, action);
    return { ref: done.comment_id ?? null };
  }

  /** Endorses the skills one by one; once the first is done, a later one that fails is left out. @throws ProviderError */
  async endorse(account_id: string, action: NetworkAction, common: Common): Promise<PerformResult> {
    const done: number[] = [];
    for (const skill_endorsement_id of action.skillIds ?? []) {
      const json = { account_id, profile_id: action.providerId, skill_endorsement_id };
      const call: UnipileCall = { ...common, method: 'POST', path: ['linkedin', 'profile', 'endorse'], json };
      try {
        await this.#wire.effect(answers.endorseAnswer, call, action);
      } catch (error) {
        if (done.length === 0) throw error;
        break;
      }
      done.push(skill_endorsement_id);
    }
    return { ref: done.join(',') || null };
  }

  async listSkills(
    account: AccountRef,
    providerId: string,
    signal?: AbortSignal,
  ): Promise<{ connected: boolean; skills: NetworkSkill[] }> {
    const query = { account_id: account.externalId, notify: 'false', linkedin_sections: 'skills' };
    const found = await this.#wire.read(answers.profileAnswer, { path: ['users', providerId], query, signal });
    const skills = (found.skills ?? []).map((skill) => ({
      skillId: skill.endorsement_id ?? null,
      name: skill.name,
      endorsed: skill.endorsed ?? false,
    }));
    return { connected: found.is_relationship ?? found.network_distance === 'FIRST_DEGREE', skills };
  }

  async listPosts(account: AccountRef, providerId: string, signal?: AbortSignal): Promise<NetworkPost[]> {
    const query = { account_id: account.externalId, limit: '20' };
    const page = await this.#wire.read(answers.postList, { path: ['users', providerId, 'posts'], query, signal });
    return page.items.map(postOf).sort((a, b) => b.postedAt - a.postedAt);
  }

  async listComments(
    account: AccountRef,
    postId: string,
    options: { cursor?: string; limit?: number; signal?: AbortSignal },
  ): Promise<Page<NetworkComment>> {
    const owner = await this.owner(account, options.signal);
    const page = await this.#wire.list(answers.commentList, ['posts', postId, 'comments'], account, options);
    const items = page.items.map((item) => ({
      commentId: item.id,
      text: item.text ?? '',
      own: item.author_details?.id === owner,
      author: shownPerson({ ...item.author_details, name: item.author ?? item.author_details?.name }),
      writtenAt: Date.parse(item.date ?? '') || null,
    }));
    return { items, cursor: page.cursor ?? null };
  }

  /** The provider's id of the account's owner. */
  async owner(account: AccountRef, signal?: AbortSignal): Promise<string> {
    const known = this.#owners.get(account.externalId);
    if (known) return known;
    const query = { account_id: account.externalId };
    const own = await this.#wire.read(answers.ownProfileAnswer, { path: ['users', 'me'], query, signal });
    if (this.#owners.size >= MAX_OWNERS) this.#owners.clear();
    this.#owners.set(account.externalId, own.provider_id);
    return own.provider_id;
  }
}

/** A post of a list. */
export function postOf(post: z.infer<typeof answers.postList>['items'][number]): NetworkPost {
  return {
    postId: post.social_id,
    text: post.text ?? '',
    url: post.share_url ?? '',
    postedAt: Date.parse(post.parsed_datetime ?? '') || 0,
    repost: post.is_repost ?? false,
    canReact: post.permissions?.can_react ?? true,
    canComment: post.permissions?.can_post_comments ?? true,
  };
}

function withPost(action: NetworkAction): { postId: string } {
  if (!action.postId) throw new ProviderError('rejected', 'no post was chosen');
  return { postId: action.postId };
}
