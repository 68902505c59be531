import { withoutEntities } from '../../base/html-entities.ts';
import {
  type AccountRef,
  type LookupOptions,
  type LookupResult,
  type NetworkAction,
  type NetworkInvitation,
  type NetworkMessage,
  type NetworkProvider,
  type Page,
  ProviderError,
} from './network-provider.ts';

/** Pages of a list that a look-up reads at most; all lists are newest first. */
const MAX_PAGES = 5;
/** Of requests that wait for an answer there may be a few thousand, and nothing says how far back one has to look. */
const MAX_PENDING_PAGES = 30;
/** The network tells the day of an invitation or a relation, not always the hour. */
const DAY_MS = 86_400_000;

/**
 * Looks for the trace that an action leaves in the published lists (reference of the wire format, column "looked up by").
 * A pending invitation to the person counts as found whatever its date: the network takes only one at a time, so ours
 * must never be sent again.
 */
export async function lookupOutcome(
  network: NetworkProvider,
  account: AccountRef,
  action: NetworkAction,
  sentAfterMs: number,
  options: LookupOptions = {},
): Promise<LookupResult> {
  const search = new Search(network, account, action, sentAfterMs, options);
  switch (action.kind) {
    case 'connection_request':
      return search.request();
    case 'withdraw_request':
      return search.withdrawal();
    case 'message':
    case 'inmail':
      return search.message();
    case 'comment':
      return search.comment();
    case 'profile_view':
    case 'follow':
    case 'like':
    case 'endorse':
      return { unsupported: true };
  }
}

type Load<T> = (options: { cursor?: string; limit: number; signal?: AbortSignal }) => Promise<Page<T>>;

class Search {
  readonly #network: NetworkProvider;
  readonly #account: AccountRef;
  readonly #action: NetworkAction;
  readonly #since: number;
  readonly #signal: AbortSignal | undefined;
  readonly #otherRefs: ReadonlySet<string>;

  constructor(
    network: NetworkProvider,
    account: AccountRef,
    action: NetworkAction,
    since: number,
    options: LookupOptions,
  ) {
    this.#network = network;
    this.#account = account;
    this.#action = action;
    this.#since = since;
    this.#signal = options.signal;
    this.#otherRefs = new Set(options.otherRefs);
  }

  async request(): Promise<LookupResult> {
    const pending = await this.#pending();
    if (pending) return { found: true, ref: pending.invitationId, at: pending.sentAt };
    const relation = await this.#first(
      (options) => this.#network.listRelations(this.#account, options),
      (item) => this.#isPerson(item),
      (item) => item.connectedAt !== null && item.connectedAt < this.#since - DAY_MS,
    );
    const accepted = relation && (relation.connectedAt === null || relation.connectedAt >= this.#since - DAY_MS);
    return accepted ? { found: true, ref: null, at: relation.connectedAt } : { found: false };
  }

  /** The trace of a withdrawal is that the invitation is gone. */
  async withdrawal(): Promise<LookupResult> {
    const pending = await this.#pending();
    return pending ? { found: false } : { found: true, ref: this.#action.invitationId ?? null, at: null };
  }

  /** An InMail has a conversation of its own: the newest one with a person may be another than that of the action. */
  async message(): Promise<LookupResult> {
    const { chatId } = this.#action;
    for await (const chat of chatId ? [chatId] : this.#chats()) {
      const message = await this.#sentIn(chat);
      if (message) return { found: true, ref: message.messageId, at: message.sentAt };
    }
    return { found: false };
  }

  #sentIn(chatId: string): Promise<NetworkMessage | null> {
    const wanted = plain(this.#action.text ?? '');
    return this.#first(
      (options) => this.#network.listMessages(this.#account, chatId, options),
      (item) =>
        item.direction === 'out' &&
        item.sentAt >= this.#since &&
        plain(item.text) === wanted &&
        !this.#otherRefs.has(item.messageId),
      (item) => item.sentAt < this.#since,
    );
  }

  /** The same words of ours below the same post are this comment, whatever their date. */
  async comment(): Promise<LookupResult> {
    const { postId } = this.#action;
    if (!postId) return { found: false };
    const wanted = plain(this.#action.text ?? '');
    const comment = await this.#first(
      (options) => this.#network.listComments(this.#account, postId, options),
      (item) => item.own && plain(item.text) === wanted,
      () => false,
    );
    return comment ? { found: true, ref: comment.commentId, at: null } : { found: false };
  }

  /** The conversations with the person in which anything was said since. */
  async *#chats(): AsyncGenerator<string> {
    const providerId = await this.#person();
    const chats = this.#items(
      (options) => this.#network.listChats(this.#account, options),
      (item) => item.lastMessageAt < this.#since,
    );
    for await (const chat of chats) if (chat.providerId === providerId) yield chat.chatId;
  }

  /**
   * The person's id for this account. An executor that was killed between the request and its answer kept only who was
   * meant: without asking, nothing would be found, and what arrived would be sent again.
   */
  async #person(): Promise<string> {
    const { providerId, publicId } = this.#action;
    if (providerId !== '') return providerId;
    if (publicId === '') throw new ProviderError('unavailable_before_send', 'nobody knows whom the message was for');
    return (await this.#network.lookupProfile(this.#account, { publicId }, this.#signal)).providerId;
  }

  #pending(): Promise<NetworkInvitation | null> {
    return this.#first(
      (options) => this.#network.listSentInvitations(this.#account, options),
      (item) => this.#isPerson(item),
      () => false,
      MAX_PENDING_PAGES,
    );
  }

  #isPerson(item: { providerId: string; publicId: string | null }): boolean {
    const { providerId, publicId } = this.#action;
    return (
      (providerId !== '' && item.providerId === providerId) ||
      (publicId !== '' && item.publicId?.toLowerCase() === publicId.toLowerCase())
    );
  }

  /** First item that matches, in a bounded number of pages; `older` ends the search early. */
  async #first<T>(
    load: Load<T>,
    matches: (item: T) => boolean,
    older: (item: T) => boolean,
    pages = MAX_PAGES,
  ): Promise<T | null> {
    for await (const item of this.#items(load, older, pages)) if (matches(item)) return item;
    return null;
  }

  /** Page by page, up to the one that has an `older` item. @throws ProviderError when there are more pages than may be read */
  async *#items<T>(load: Load<T>, older: (item: T) => boolean, pages = MAX_PAGES): AsyncGenerator<T> {
    let cursor: string | null = null;
    for (let page = 0; page < pages; page++) {
      const found: Page<T> = await load({
        limit: 100,
        ...(cursor ? { cursor } : {}),
        ...(this.#signal ? { signal: this.#signal } : {}),
      });
      yield* found.items;
      if (!found.cursor || found.items.some(older)) return;
      cursor = found.cursor;
    }
    // Not seen in what we may read is no proof that it is not there.
    throw new ProviderError('unavailable_before_send', 'the list is too long for a look-up');
  }
}

/**
 * What words say, however they are written: networks compose characters, straighten quotes, break lines and leave out what nobody sees. A
 * message that is not known again is sent again.
 */
function plain(text: string): string {
  const read = withoutEntities(text).normalize('NFKC');
  const words = read.replace(/\p{Cf}|\p{Variation_Selector}/gu, '').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length > 0 ? words.join(' ').toLowerCase() : read.replace(/\s+/g, ' ').trim();
}
