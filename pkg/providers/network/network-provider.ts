import type { NetworkActionKind } from '../../domain/actions.ts';

/** A connected account as the provider knows it. */
export interface AccountRef {
  /** The provider's account id. */
  externalId: string;
}

/** What an effect does on the network; the kind is the catalog's budget action. */
export interface NetworkAction {
  kind: NetworkActionKind;
  /** The person's id for this account (ACo…). */
  providerId: string;
  /** Public profile id. */
  publicId: string;
  text?: string;
  /** Existing chat with the person; without one a message opens it. */
  chatId?: string;
  /** Invitation to withdraw. */
  invitationId?: string;
  /** Subject of an InMail. */
  subject?: string;
  /** Post to react to or to comment on. */
  postId?: string;
  reaction?: Reaction;
  /** The provider's ids of the skills to endorse. */
  skillIds?: readonly number[];
}

/** What a reaction says. Source: catalog network:like_post, the network's own list. */
export const REACTIONS = ['like', 'celebrate', 'support', 'love', 'insightful', 'funny'] as const;
export type Reaction = (typeof REACTIONS)[number];

/** Proof of a done action. */
export interface PerformResult {
  /** Id of the invitation, message …; null where the provider gives none. */
  ref: string | null;
  chatId?: string;
  /** Message-ID by which the one who got a mail knows it, where the server replaced ours. */
  givenId?: string;
  /** Whom the server refused of those who were to get a copy of a mail; absent: nobody. */
  refusedCopies?: readonly string[];
}

/** Bounds of one effect. */
export interface PerformOptions {
  signal?: AbortSignal | undefined;
  /**
   * Monotonic ms (pkg/base/clock.ts) by which the request must have been handed to the socket; later it is abandoned
   * with ProviderError kind `unknown_outcome`.
   */
  deadlineMonotonicMs?: number | undefined;
  /** Our id of the send; travels as a header for support cases. No provider is trusted to honour it. */
  idempotencyKey?: string | undefined;
}

export interface NetworkProfile {
  providerId: string;
  publicId: string;
  firstName: string;
  lastName: string;
  headline: string;
  connected: boolean;
  /** A sent invitation is pending. */
  pending: boolean;
  /** Anybody may write an InMail that costs no credit; null or absent when the provider does not say. */
  openProfile?: boolean | null;
}

/** A skill that a profile shows. */
export interface NetworkSkill {
  /** By which it is endorsed; null: it can not be. */
  skillId: number | null;
  name: string;
  /** By this account, as far as the provider says. */
  endorsed: boolean;
}

/** A comment below a post. */
export interface NetworkComment {
  commentId: string;
  text: string;
  /** Written by the account's owner. */
  own: boolean;
  /** Who wrote it; absent or null: a company, or the provider does not tell. */
  author?: ShownPerson | null;
  /** Epoch ms; absent or null: the provider does not tell. */
  writtenAt?: number | null;
}

/** A person as lists of the network show one; empty texts are not shown. */
export interface ShownPerson {
  publicId: string;
  name: string;
  headline: string;
}

/** Somebody who reacted to a post. */
export interface NetworkReaction {
  person: ShownPerson;
  /** In the network's own word. */
  kind: string;
}

/** What a page of a company shows; null: it does not. */
export interface NetworkCompany {
  /** By which its posts and people are asked for. */
  companyId: string;
  name: string;
  headcount: number | null;
}

/** A post that a search found; `author` null: a company wrote it, or it is not shown. */
export interface SearchedPost extends NetworkPost {
  author: ShownPerson | null;
  /** The name of the author, a person or a company. */
  authorName: string;
}

/** What is searched for: words, people who work at a company, or the address of a search on the network. */
export type NetworkSearch = { keywords: string } | { companyId: string } | { url: string };

export interface PageOptions {
  cursor?: string;
  limit?: number;
  signal?: AbortSignal;
}

export interface NetworkPost {
  postId: string;
  /** What it says; absent or '': the provider does not tell. */
  text?: string;
  url?: string;
  /** Epoch ms. */
  postedAt: number;
  /** Somebody else's words, passed on. */
  repost: boolean;
  canReact: boolean;
  canComment: boolean;
}

/** A post and who wrote it. */
export interface FoundPost {
  /** The id for everything further that is done to it. */
  postId: string;
  /** Public id of the person who wrote it; null: a company page did, or the provider does not tell. */
  authorPublicId: string | null;
  authorName: string;
  canReact: boolean;
  canComment: boolean;
}

/** A file that goes out with a post; it lies on disk, since a video is too large for memory. */
export interface PostFile {
  /** Where its bytes lie. */
  path: string;
  /** By its first bytes. */
  mime: string;
  /** With the ending of its kind. */
  name: string;
  /** What it shows, for people who do not see it; '': not told. */
  alt: string;
}

/** A post of the account's owner, as the network shows it. Totals are null where it does not tell. */
export interface OwnPost {
  postId: string;
  text: string;
  url: string | null;
  /** Epoch ms; null when the provider does not say. */
  postedAt: number | null;
  impressions: number | null;
  reactions: number | null;
  comments: number | null;
  reposts: number | null;
}

/** What a profile shows to everybody; empty texts are not shown. */
export interface PublicProfile {
  publicId: string;
  /** The person's id for the account that read it; absent: the provider does not tell. */
  providerId?: string;
  firstName: string;
  lastName: string;
  headline: string;
  location: string;
  /** Of the current position. */
  title: string;
  company: string;
}

/** What a look-up after an unknown outcome says; `unsupported`: this kind can't be told apart from nothing. */
export type LookupResult =
  | { found: true; ref: string | null; at: number | null; givenId?: string }
  | { found: false }
  | { unsupported: true };

export interface NetworkChat {
  chatId: string;
  /** The other person. */
  providerId: string;
  publicId: string | null;
  name: string;
  /** Epoch ms. */
  lastMessageAt: number;
  unread: number;
  /** An InMail opened it. */
  inMail: boolean;
}

export interface NetworkMessage {
  messageId: string;
  chatId: string;
  direction: 'in' | 'out';
  text: string;
  /** Epoch ms. */
  sentAt: number;
  /** What is attached, never its bytes. Absent: nothing. */
  attachments?: readonly { name: string; type: string }[];
}

export interface NetworkRelation {
  providerId: string;
  publicId: string | null;
  name: string;
  headline: string;
  /** Epoch ms; null when the provider does not say. */
  connectedAt: number | null;
}

export interface NetworkInvitation {
  invitationId: string;
  providerId: string;
  publicId: string | null;
  text: string | null;
  /** Epoch ms; null when the provider does not say. */
  sentAt: number | null;
}

/** One page of a list; cursor null at the end. */
export interface Page<T> {
  items: T[];
  cursor: string | null;
}

/** How a look-up is asked. */
export interface LookupOptions {
  signal?: AbortSignal | undefined;
  /** Provider ids of what other sends left there: the same words with one of these are not this action. */
  otherRefs?: readonly string[] | undefined;
}

/** A professional network behind connected accounts. An adapter never repeats an effect by itself. */
export interface NetworkProvider {
  /** Real ms after dispatch before a look-up may say "not found" (network 15 min, sandbox 2 s). */
  readonly settleAfterMs: number;
  /** Reads a profile without leaving a visit. @throws ProviderError */
  lookupProfile(
    account: AccountRef,
    profile: { publicId: string } | { providerId: string },
    signal?: AbortSignal,
  ): Promise<NetworkProfile>;
  /**
   * Reads what a profile shows, without leaving a visit; null when there is no such profile. Absent: not offered.
   * @throws ProviderError
   */
  readProfile?(account: AccountRef, publicId: string, signal?: AbortSignal): Promise<PublicProfile | null>;
  /** Does it once. @throws ProviderError; every kind but `unknown_outcome` proves that nothing was done */
  perform(account: AccountRef, action: NetworkAction, options?: PerformOptions): Promise<PerformResult>;
  /** Looks for the trace of an action that left no sooner than `sentAfterMs` (epoch ms, provider's time). @throws ProviderError */
  lookupOutcome(
    account: AccountRef,
    action: NetworkAction,
    sentAfterMs: number,
    options?: LookupOptions,
  ): Promise<LookupResult>;
  getAccount(
    account: AccountRef,
    signal?: AbortSignal,
  ): Promise<{ status: 'ok' | 'checkpoint' | 'credentials_expired' | 'restricted' | 'disconnected' | 'connecting' }>;
  /**
   * Asks the provider to tell `url` of news of the account; what it tells is only a hint. Takes the place of what was registered
   * for the account under the same address but for its last part. Absent: not offered.
   */
  registerWebhook?(account: AccountRef, url: string, signal?: AbortSignal): Promise<void>;
  /** Kinds of actions for which the network offers no call. Absent: none. */
  readonly unsupported?: ReadonlySet<NetworkActionKind>;
  /** A post by the id of its address (pkg/domain/post-address.ts); null: there is none. Absent: not offered. @throws ProviderError */
  readPost?(account: AccountRef, postId: string, signal?: AbortSignal): Promise<FoundPost | null>;
  /** Marks a conversation read or unread for its owner; the person learns nothing of it. Absent: not offered. @throws ProviderError */
  markRead?(account: AccountRef, chatId: string, read: boolean, signal?: AbortSignal): Promise<void>;
  /** Skills of a profile, read without leaving a visit; `connected` as lookupProfile tells it. @throws ProviderError */
  listSkills(
    account: AccountRef,
    providerId: string,
    signal?: AbortSignal,
  ): Promise<{ connected: boolean; skills: NetworkSkill[] }>;
  /** The person's posts, newest first, one page. @throws ProviderError */
  listPosts(account: AccountRef, providerId: string, signal?: AbortSignal): Promise<NetworkPost[]>;
  listComments(account: AccountRef, postId: string, options: PageOptions): Promise<Page<NetworkComment>>;
  /** What a company shows; null when there is no such page. Absent: not offered. @throws ProviderError */
  readCompany?(account: AccountRef, publicId: string, signal?: AbortSignal): Promise<NetworkCompany | null>;
  /** A company's posts, as the network orders them. Absent: not offered. @throws ProviderError */
  listCompanyPosts?(account: AccountRef, companyId: string, options: PageOptions): Promise<Page<NetworkPost>>;
  /** Who reacted to a post. Absent: not offered. @throws ProviderError */
  listReactions?(account: AccountRef, postId: string, options: PageOptions): Promise<Page<NetworkReaction>>;
  /** People that a search finds. Absent: not offered. @throws ProviderError */
  searchPeople?(account: AccountRef, search: NetworkSearch, options: PageOptions): Promise<Page<ShownPerson>>;
  /** Posts that a search finds, newest first. Absent: not offered. @throws ProviderError */
  searchPosts?(account: AccountRef, search: NetworkSearch, options: PageOptions): Promise<Page<SearchedPost>>;
  /** Publishes a post once. Absent: not offered. @throws ProviderError; kind `duplicate` names the post that is there in `names` */
  publishPost?(
    account: AccountRef,
    post: { text: string; files: readonly PostFile[] },
    options?: PerformOptions,
  ): Promise<PerformResult>;
  /** Posts of the account's owner, newest first. @throws ProviderError */
  listOwnPosts?(
    account: AccountRef,
    options: { cursor?: string; limit?: number; signal?: AbortSignal },
  ): Promise<Page<OwnPost>>;
  /** One post; null: there is none. @throws ProviderError */
  readOwnPost?(account: AccountRef, postId: string, signal?: AbortSignal): Promise<OwnPost | null>;
  /** Who reacted to a post or commented on it, by their ids for the account, the newest first, some hundred at most. @throws ProviderError */
  listEngagers?(account: AccountRef, postId: string, signal?: AbortSignal): Promise<string[]>;
  /** Newest first. @param options `unread`: only those that have something unread */
  listChats(
    account: AccountRef,
    options: { cursor?: string; limit?: number; unread?: boolean; signal?: AbortSignal },
  ): Promise<Page<NetworkChat>>;
  /** Newest first. */
  listMessages(
    account: AccountRef,
    chatId: string,
    options: { cursor?: string; limit?: number; signal?: AbortSignal },
  ): Promise<Page<NetworkMessage>>;
  /** Newest first. */
  listRelations(
    account: AccountRef,
    options: { cursor?: string; limit?: number; signal?: AbortSignal },
  ): Promise<Page<NetworkRelation>>;
  listSentInvitations(
    account: AccountRef,
    options: { cursor?: string; limit?: number; signal?: AbortSignal },
  ): Promise<Page<NetworkInvitation>>;
}

export type ProviderErrorKind =
  | 'rejected'
  | 'not_connected'
  | 'already_connected'
  | 'already_pending'
  | 'not_pending'
  | 'unsupported'
  | 'no_credits'
  | 'duplicate'
  | 'limit'
  | 'rate_limited'
  | 'unavailable_before_send'
  | 'unknown_outcome';

/** What a provider answered. Only `unknown_outcome` leaves open whether the action was done. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** Real ms after which it may be tried again. */
  readonly retryAfterMs: number | undefined;
  /** Why the account rests, for people, and how long, ms; undefined: the kind alone decides. */
  readonly rest: { ms: number; reason: string } | undefined;
  /** Of a refusal as a duplicate: the network's id of what is there. */
  names?: string;
  /** Of a mail whose reader the server refused: to how many others it took it all the same. */
  took?: number;

  constructor(kind: ProviderErrorKind, message: string, retryAfterMs?: number, rest?: { ms: number; reason: string }) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.rest = rest;
  }
}
