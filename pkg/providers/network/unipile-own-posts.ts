import { openAsBlob } from 'node:fs';
import { FormData } from 'undici';
import type { z } from 'zod';
import type { AccountRef, OwnPost, Page, PerformOptions, PerformResult, PostFile } from './network-provider.ts';
import * as answers from './unipile-answers.ts';
import type { UnipileWire } from './unipile-engagement.ts';
import type { UnipileCall } from './unipile-http.ts';

/** Pages of reactions and of comments that are read of one post. */
const MAX_ENGAGER_PAGES = 3;

/** What tells who the account's owner is, besides. */
export interface OwnPostsWire extends UnipileWire {
  owner(account: AccountRef, signal?: AbortSignal): Promise<string>;
}

/** What the account's owner posts. The text goes as plain text: escapes of the network's own API would be published. */
export class UnipileOwnPosts {
  readonly #wire: OwnPostsWire;

  constructor(wire: OwnPostsWire) {
    this.#wire = wire;
  }

  /** @throws ProviderError */
  async publish(
    account_id: string,
    post: { text: string; files: readonly PostFile[] },
    options: PerformOptions,
  ): Promise<PerformResult> {
    const form = new FormData();
    form.set('account_id', account_id);
    form.set('text', post.text);
    // A blob of a file is read while it is sent: a video is never in memory.
    let fileBytes = 0;
    for (const file of post.files) {
      const blob = await openAsBlob(file.path, { type: file.mime });
      fileBytes += blob.size;
      form.append('attachments', blob, file.name);
    }
    const call: UnipileCall = { ...options, effect: true, method: 'POST', path: ['posts'], form, fileBytes };
    const done = await this.#wire.effect(answers.postCreatedAnswer, call, { kind: 'post' });
    return { ref: done.post_id };
  }

  async list(
    account: AccountRef,
    options: { cursor?: string; limit?: number; signal?: AbortSignal },
  ): Promise<Page<OwnPost>> {
    const owner = await this.#wire.owner(account, options.signal);
    const limit = String(Math.min(options.limit ?? 50, 100));
    const query = { account_id: account.externalId, limit, cursor: options.cursor };
    const path = ['users', owner, 'posts'];
    const page = await this.#wire.read(answers.postList, { path, query, signal: options.signal });
    return { items: page.items.map(ownPost), cursor: page.cursor ?? null };
  }

  async read(account: AccountRef, postId: string, signal?: AbortSignal): Promise<OwnPost | null> {
    const query = { account_id: account.externalId };
    const found = await this.#wire.find(answers.ownPostAnswer, { path: ['posts', postId], query, signal });
    return found && ownPost(found);
  }

  async engagers(account: AccountRef, postId: string, signal?: AbortSignal): Promise<string[]> {
    const owner = await this.#wire.owner(account, signal);
    const ids = new Set<string>();
    for (const kind of ['reactions', 'comments'])
      for await (const id of this.#authors(account, ['posts', postId, kind], signal)) if (id !== owner) ids.add(id);
    return [...ids];
  }

  async *#authors(account: AccountRef, path: string[], signal?: AbortSignal): AsyncGenerator<string> {
    let cursor: string | null | undefined;
    for (let page = 0; page < MAX_ENGAGER_PAGES; page++) {
      const query = { account_id: account.externalId, limit: '100', ...(cursor ? { cursor } : {}) };
      const found: z.infer<typeof answers.engagerList> = await this.#wire.read(answers.engagerList, {
        path,
        query,
        signal,
      });
      for (const { author, author_details } of found.items) {
        const id = author_details?.id ?? (typeof author === 'object' ? author?.id : undefined);
        if (id) yield id;
      }
      cursor = found.cursor;
      if (!cursor) return;
    }
  }
}

function ownPost(post: z.infer<typeof answers.ownPostAnswer>): OwnPost {
  const at = Date.parse(post.parsed_datetime ?? '');
  return {
    postId: post.social_id,
    text: post.text ?? '',
    url: post.share_url ?? null,
    postedAt: Number.isNaN(at) ? null : at,
    impressions: post.impressions_counter ?? null,
    reactions: post.reaction_counter ?? null,
    comments: post.comment_counter ?? null,
    reposts: post.repost_counter ?? null,
  };
}
