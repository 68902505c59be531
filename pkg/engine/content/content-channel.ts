import type { JsonObject } from '../../base/json.ts';
import { comparePost } from '../../domain/content/same-post.ts';
import {
  type AccountRef,
  type LookupResult,
  type NetworkAction,
  type NetworkProvider,
  type PerformOptions,
  type PerformResult,
  ProviderError,
} from '../../providers/network/network-provider.ts';
import type { LookupRow } from '../../store/ledger/ledger.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { GrantedEffect } from '../ledger/claim-effects.ts';
import type { Prepared } from '../ledger/preparation.ts';
import { targetText } from '../ledger/target-text.ts';
import { findPost } from './find-post.ts';
import { type LoadedMedia, loadMedia } from './load-media.ts';
import { otherPosts } from './other-posts.ts';

/** Clocks of provider and product may differ by this much. */
const CLOCK_SLACK_MS = 3_600_000;

/** How the parts of a post leave: the post with its media, and its first comment. */
export class ContentChannel {
  readonly #deps: EngineDeps;
  readonly #provider: NetworkProvider;
  readonly #account: AccountRef;
  readonly #accountId: string;
  #media: LoadedMedia | undefined;
  /** What the network calls the part, where it is online already. */
  #online: string | undefined;

  constructor(deps: EngineDeps, provider: NetworkProvider, account: { id: string; externalId: string }) {
    this.#deps = deps;
    this.#provider = provider;
    this.#account = { externalId: account.externalId };
    this.#accountId = account.id;
  }

  /**
   * Looks whether the part is online, each time and before anything is dispatched: after a restored backup nobody here knows what went
   * out. Then it lays the media on disk and compares their bytes with what was approved; a comment needs the post that it is below.
   * @throws ProviderError
   */
  async prepare({ request }: GrantedEffect, signal: AbortSignal): Promise<Prepared> {
    const { target, body, sendId } = request.claim;
    if (isComment(target)) return this.#prepareComment(body ?? '', target, signal);
    if (body && this.#provider.listOwnPosts) {
      this.#online = (await this.#find(body, target, sendId, signal)) ?? undefined;
      if (this.#online) return { go: true, target };
    }
    const media = await loadMedia(this.#deps, targetText(target, 'contentPostId') ?? '', signal);
    if ('refusal' in media) return { go: false, outcome: media.refusal, reason: media.reason };
    this.#media = media;
    return body ? { go: true, target } : { go: false, outcome: 'rejected', reason: 'the post has no text' };
  }

  async perform(effect: GrantedEffect, target: JsonObject, options: PerformOptions): Promise<PerformResult> {
    if (this.#online) return { ref: this.#online };
    const text = effect.request.claim.body ?? '';
    if (isComment(target)) return this.#comment(text, target, options);
    const done = await this.#publish(effect, text, target, options);
    this.#observe(target);
    return done;
  }

  /** From the time that was planned until the network said, or showed, that it is online. */
  #observe({ plannedFor }: JsonObject): void {
    if (typeof plannedFor !== 'number') return;
    this.#deps.metrics.postDelay.observe(Math.max(0, this.#deps.clock.now() - plannedFor) / 1_000);
  }

  async #publish(
    { request }: GrantedEffect,
    text: string,
    target: JsonObject,
    options: PerformOptions,
  ): Promise<PerformResult> {
    if (!this.#provider.publishPost) throw new ProviderError('unsupported', 'the provider publishes no posts');
    try {
      return await this.#provider.publishPost(this.#account, { text, files: this.#media?.files ?? [] }, options);
    } catch (error) {
      const ours = await this.#named(error, text, target, request.claim.sendId, options.signal);
      if (ours) return { ref: ours };
      throw error;
    }
  }

  /** Looks for a part whose answer was lost. @throws ProviderError */
  async lookup(send: LookupRow, signal: AbortSignal): Promise<LookupResult> {
    const text = send.body ?? '';
    if (isComment(send.target)) {
      const postId = targetText(send.target, 'postId');
      if (!postId) return { found: false };
      return this.#lookupComment(postId, text, signal, send.otherRefs);
    }
    const ref = await this.#find(text, send.target, send.id, signal, send.dispatchedAt);
    if (ref) this.#observe(send.target);
    return ref ? { found: true, ref, at: null } : { found: false };
  }

  async close(): Promise<void> {
    await this.#media?.drop();
  }

  async #comment(text: string, target: JsonObject, options: PerformOptions): Promise<PerformResult> {
    const postId = targetText(target, 'postId') ?? '';
    return this.#provider.perform(this.#account, commentOf(postId, text), options);
  }

  #lookupComment(
    postId: string,
    text: string,
    signal: AbortSignal,
    otherRefs: readonly string[] = [],
  ): Promise<LookupResult> {
    return this.#provider.lookupOutcome(this.#account, commentOf(postId, text), 0, { signal, otherRefs });
  }

  async #prepareComment(body: string, target: JsonObject, signal: AbortSignal): Promise<Prepared> {
    const postId = targetText(target, 'postId') ?? (await this.#postAbove(target, signal));
    if (!postId)
      return {
        go: false,
        outcome: 'absent',
        reason: 'the post that it belongs below is not among those of the account',
      };
    const found = await this.#lookupComment(postId, body, signal);
    if ('found' in found && found.found) this.#online = found.ref ?? postId;
    return { go: true, target: { ...target, postId } };
  }

  /** Where a person said that the post is online, nobody knows yet what the network calls it. */
  async #postAbove(target: JsonObject, signal: AbortSignal): Promise<string | null> {
    const post = await this.#deps.claim.tx((tx) =>
      tx.row<{ text: string }>('select text from content_post where id::text = $1', [target['contentPostId'] ?? '']),
    );
    return post ? this.#find(post.text, target, '', signal) : null;
  }

  /** The network's id of the post that says the same, and is no other one of ours. */
  async #find(
    text: string,
    target: JsonObject,
    sendId: string,
    signal?: AbortSignal,
    sentAt: number | null = null,
  ): Promise<string | null> {
    const others = await otherPosts(this.#deps, this.#accountId, sendId);
    const found = await findPost(
      this.#provider,
      this.#account,
      { text, since: sinceOf(target), sentAt, others },
      signal,
    );
    return found?.postId ?? null;
  }

  /** A refusal as a duplicate that names a post of ours is the answer that was lost; a ghost, or another one of ours, is not. */
  async #named(
    error: unknown,
    text: string,
    target: JsonObject,
    sendId: string,
    signal?: AbortSignal,
  ): Promise<string | null> {
    if (!(error instanceof ProviderError) || error.kind !== 'duplicate' || !error.names) return null;
    const others = await otherPosts(this.#deps, this.#accountId, sendId);
    if (others.has(error.names)) return null;
    const post = await this.#provider.readOwnPost?.(this.#account, error.names, signal);
    if (!post || comparePost(post.text, text) === 'other') return null;
    return post.postedAt === null || post.postedAt >= sinceOf(target) ? post.postId : null;
  }
}

function commentOf(postId: string, text: string): NetworkAction {
  return { kind: 'comment', providerId: '', publicId: '', postId, text };
}

function isComment(target: JsonObject): boolean {
  return target['part'] === 'comment';
}

/** Nothing that was online before the post was written is it. */
function sinceOf(target: JsonObject): number {
  return typeof target['since'] === 'number' ? target['since'] - CLOCK_SLACK_MS : 0;
}
