import { FormData } from 'undici';
import type { z } from 'zod';
import { usableText } from '../../base/usable-text.ts';
import type { NetworkActionKind } from '../../domain/actions.ts';
import { profileId } from '../../domain/person-identity.ts';
import {
  type AccountRef,
  type FoundPost,
  type LookupOptions,
  type LookupResult,
  type NetworkAction,
  type NetworkChat,
  type NetworkComment,
  type NetworkCompany,
  type NetworkInvitation,
  type NetworkMessage,
  type NetworkPost,
  type NetworkProfile,
  type NetworkProvider,
  type NetworkReaction,
  type NetworkRelation,
  type NetworkSearch,
  type OwnPost,
  type Page,
  type PageOptions,
  type PerformOptions,
  type PerformResult,
  type PostFile,
  ProviderError,
  type PublicProfile,
  type SearchedPost,
  type ShownPerson,
} from './network-provider.ts';
import * as answers from './unipile-answers.ts';
import { UnipileEngagement, type UnipileQuestion, type UnipileWire } from './unipile-engagement.ts';
import { type UnipileCall, UnipileHttp, type UnipileSettings } from './unipile-http.ts';
import { lookupOutcome } from './unipile-lookups.ts';
import { UnipileOwnPosts } from './unipile-own-posts.ts';
import { isMissing, lacksAccount, parsed, refuse } from './unipile-refusals.ts';
import { UnipileSearch } from './unipile-search.ts';
import { registerWebhooks } from './unipile-webhooks.ts';

type AccountState = Awaited<ReturnType<NetworkProvider['getAccount']>>;

/** Most results of a page of a list. Source: the provider's limits. */
const LIST_PAGE = 100;
/** Attachments of a message that are named at most. */
const MOST_ATTACHMENTS = 20;

/** Status words of an account's sources, worst first. */
const STATUS: readonly (readonly [string, AccountState['status']])[] = [
  ['CREDENTIALS', 'credentials_expired'],
  ['PERMISSIONS', 'restricted'],
  ['ERROR', 'disconnected'],
  ['STOPPED', 'disconnected'],
  ['CONNECTING', 'connecting'],
];

/** The professional network through Unipile's HTTP API v1. Sends every effect once and repeats none. */
export class UnipileAdapter implements NetworkProvider {
  readonly settleAfterMs: number;
  readonly unsupported: ReadonlySet<NetworkActionKind> = new Set(['follow']);
  readonly #http: UnipileHttp;
  readonly #engagement: UnipileEngagement;
  readonly #search: UnipileSearch;
  readonly #ownPosts: UnipileOwnPosts;

  constructor(settings: UnipileSettings & { settleAfterMs: number }) {
    this.settleAfterMs = settings.settleAfterMs;
    this.#http = new UnipileHttp(settings);
    const wire: UnipileWire = {
      effect: (schema, call, action) => this.#effect(schema, call, action),
      read: (schema, call) => this.#read(schema, call),
      find: (schema, call) => this.#find(schema, call),
      list: (...list) => this.#list(...list),
    };
    this.#search = new UnipileSearch(wire);
    this.#engagement = new UnipileEngagement(wire);
    this.#ownPosts = new UnipileOwnPosts({
      ...wire,
      owner: (account, signal) => this.#engagement.owner(account, signal),
    });
  }

  async lookupProfile(
    account: AccountRef,
    profile: { publicId: string } | { providerId: string },
    signal?: AbortSignal,
  ): Promise<NetworkProfile> {
    const id = 'publicId' in profile ? profile.publicId : profile.providerId;
    const query = { account_id: account.externalId, notify: 'false' };
    const found = await this.#read(answers.profileAnswer, { path: ['users', id], query, signal });
    return {
      providerId: found.provider_id,
      publicId: publicIdOf(found.public_identifier) ?? ('publicId' in profile ? profile.publicId : ''),
      firstName: found.first_name ?? '',
      lastName: found.last_name ?? '',
      headline: found.headline ?? '',
      connected: found.is_relationship ?? found.network_distance === 'FIRST_DEGREE',
      pending: found.invitation?.type === 'SENT' && found.invitation.status === 'PENDING',
      openProfile: found.is_open_profile ?? null,
    };
  }

  async readProfile(account: AccountRef, publicId: string, signal?: AbortSignal): Promise<PublicProfile | null> {
    const query = { account_id: account.externalId, notify: 'false', linkedin_sections: 'experience' };
    const found = await this.#find(answers.profileAnswer, { path: ['users', publicId], query, signal });
    if (found === null) return null;
    const position = found.work_experience?.find((one) => one.current || !one.end) ?? found.work_experience?.[0];
    return {
      publicId: publicIdOf(found.public_identifier) ?? publicId,
      providerId: found.provider_id,
      firstName: found.first_name ?? '',
      lastName: found.last_name ?? '',
      headline: found.headline ?? '',
      location: found.location ?? '',
      title: position?.position ?? '',
      company: position?.company ?? '',
    };
  }

  async perform(account: AccountRef, action: NetworkAction, options: PerformOptions = {}): Promise<PerformResult> {
    const common = { ...options, effect: true } as const;
    const account_id = account.externalId;
    switch (action.kind) {
      case 'profile_view': {
        const query = { account_id, notify: 'true' };
        await this.#effect(
          answers.profileAnswer,
          { ...common, method: 'GET', path: ['users', action.providerId], query },
          action,
        );
        return { ref: null };
      }
      case 'connection_request': {
        const json = { account_id, provider_id: action.providerId, ...(action.text ? { message: action.text } : {}) };
        const done = await this.#effect(
          answers.inviteAnswer,
          { ...common, method: 'POST', path: ['users', 'invite'], json },
          action,
        );
        return { ref: done.invitation_id };
      }
      case 'withdraw_request': {
        if (!action.invitationId) throw new ProviderError('not_pending', 'no invitation is known');
        const path = ['users', 'invite', 'sent', action.invitationId];
        await this.#effect(null, { ...common, method: 'DELETE', path, query: { account_id } }, action);
        return { ref: action.invitationId };
      }
      case 'message':
      case 'inmail':
        return this.#write(account_id, action, common);
      case 'like':
        return this.#engagement.react(account_id, action, common);
      case 'comment':
        return this.#engagement.comment(account_id, action, common);
      case 'endorse':
        return this.#engagement.endorse(account_id, action, common);
      case 'follow':
        throw new ProviderError('unsupported', `the network's API documents no call for ${action.kind}`);
    }
  }

  lookupOutcome(
    account: AccountRef,
    action: NetworkAction,
    sentAfterMs: number,
    options: LookupOptions = {},
  ): Promise<LookupResult> {
    return lookupOutcome(this, account, action, sentAfterMs, options);
  }

  async getAccount(account: AccountRef, signal?: AbortSignal): Promise<AccountState> {
    const call = { method: 'GET' as const, path: ['accounts', account.externalId], effect: false, signal };
    const answer = await this.#http.call(call);
    // Somebody removed it there: until it is linked anew it is no account that acts.
    if (lacksAccount(answer)) return { status: 'disconnected' };
    const found = parsed(answers.accountAnswer, answer, call.path);
    const words = (found.sources ?? []).map((source) => source.status);
    return { status: STATUS.find(([word]) => words.includes(word))?.[1] ?? 'ok' };
  }

  registerWebhook(account: AccountRef, url: string, signal?: AbortSignal): Promise<void> {
    return registerWebhooks(this.#http, account, url, signal);
  }

  listSkills(account: AccountRef, providerId: string, signal?: AbortSignal): ReturnType<NetworkProvider['listSkills']> {
    return this.#engagement.listSkills(account, providerId, signal);
  }

  listPosts(account: AccountRef, providerId: string, signal?: AbortSignal): Promise<NetworkPost[]> {
    return this.#engagement.listPosts(account, providerId, signal);
  }

  publishPost(
    account: AccountRef,
    post: { text: string; files: readonly PostFile[] },
    options: PerformOptions = {},
  ): Promise<PerformResult> {
    return this.#ownPosts.publish(account.externalId, post, options);
  }

  listOwnPosts(account: AccountRef, options: PageOptions): Promise<Page<OwnPost>> {
    return this.#ownPosts.list(account, options);
  }

  readOwnPost(account: AccountRef, postId: string, signal?: AbortSignal): Promise<OwnPost | null> {
    return this.#ownPosts.read(account, postId, signal);
  }

  listEngagers(account: AccountRef, postId: string, signal?: AbortSignal): Promise<string[]> {
    return this.#ownPosts.engagers(account, postId, signal);
  }

  listComments(account: AccountRef, postId: string, options: PageOptions): Promise<Page<NetworkComment>> {
    return this.#engagement.listComments(account, postId, options);
  }

  readCompany(account: AccountRef, publicId: string, signal?: AbortSignal): Promise<NetworkCompany | null> {
    return this.#search.company(account, publicId, signal);
  }

  listCompanyPosts(account: AccountRef, companyId: string, options: PageOptions): Promise<Page<NetworkPost>> {
    return this.#search.companyPosts(account, companyId, options);
  }

  listReactions(account: AccountRef, postId: string, options: PageOptions): Promise<Page<NetworkReaction>> {
    return this.#search.reactions(account, postId, options);
  }

  searchPeople(account: AccountRef, search: NetworkSearch, options: PageOptions): Promise<Page<ShownPerson>> {
    return this.#search.people(account, search, options);
  }

  searchPosts(account: AccountRef, search: NetworkSearch, options: PageOptions): Promise<Page<SearchedPost>> {
    return this.#search.posts(account, search, options);
  }

  async listChats(account: AccountRef, options: PageOptions & { unread?: boolean }): Promise<Page<NetworkChat>> {
    const more = { unread: options.unread ? 'true' : undefined };
    const page = await this.#list(answers.chatList, ['chats'], account, options, more);
    const items = page.items.map((chat) => ({
      chatId: chat.id,
      providerId: chat.attendee_provider_id ?? '',
      publicId: null,
      name: chat.name ?? '',
      lastMessageAt: instant(chat.timestamp) ?? 0,
      unread: chat.unread_count ?? 0,
      inMail: chat.content_type === 'inmail',
    }));
    return { items, cursor: page.cursor ?? null };
  }

  async readPost(account: AccountRef, postId: string, signal?: AbortSignal): Promise<FoundPost | null> {
    const query = { account_id: account.externalId };
    const found = await this.#find(answers.postAnswer, { path: ['posts', postId], query, signal });
    if (found === null) return null;
    const { social_id, author, permissions } = found;
    return {
      postId: social_id,
      authorPublicId: author?.is_company ? null : publicIdOf(author?.public_identifier),
      authorName: author?.name ?? '',
      canReact: permissions?.can_react ?? true,
      canComment: permissions?.can_post_comments ?? true,
    };
  }

  async markRead(_account: AccountRef, chatId: string, read: boolean, signal?: AbortSignal): Promise<void> {
    const json = { action: 'setReadStatus', value: read };
    const answer = await this.#http.call({ method: 'PATCH', path: ['chats', chatId], json, effect: false, signal });
    if (answer.status < 200 || answer.status >= 300) refuse(answer, false);
  }

  async listMessages(account: AccountRef, chatId: string, options: PageOptions): Promise<Page<NetworkMessage>> {
    const page = await this.#list(answers.messageList, ['chats', chatId, 'messages'], account, options);
    // A thumb under a message of ours is an event of the conversation, and no answer.
    const written = page.items.filter((message) => !message.is_event);
    const items = written.map((message) => ({
      messageId: message.id,
      chatId: message.chat_id,
      direction: message.is_sender ? ('out' as const) : ('in' as const),
      text: message.text ?? '',
      sentAt: instant(message.timestamp) ?? 0,
      attachments: (message.attachments ?? []).slice(0, MOST_ATTACHMENTS).map(({ file_name: name, type }) => ({
        name: usableText(name ?? '', 200),
        type: usableText(type ?? 'file', 40),
      })),
    }));
    return { items, cursor: page.cursor ?? null };
  }

  async listRelations(account: AccountRef, options: PageOptions): Promise<Page<NetworkRelation>> {
    const page = await this.#list(answers.relationList, ['users', 'relations'], account, options);
    const items = page.items.map((relation) => ({
      providerId: relation.member_id,
      publicId: publicIdOf(relation.public_identifier),
      name: `${relation.first_name ?? ''} ${relation.last_name ?? ''}`.trim(),
      headline: relation.headline ?? '',
      connectedAt: relation.created_at ?? null,
    }));
    return { items, cursor: page.cursor ?? null };
  }

  async listSentInvitations(account: AccountRef, options: PageOptions): Promise<Page<NetworkInvitation>> {
    const page = await this.#list(answers.invitationList, ['users', 'invite', 'sent'], account, options);
    const items = page.items.map((invitation) => ({
      invitationId: invitation.id,
      providerId: invitation.invited_user_id ?? '',
      publicId: publicIdOf(invitation.invited_user_public_id),
      text: invitation.invitation_text ?? null,
      sentAt: instant(invitation.parsed_datetime),
    }));
    return { items, cursor: page.cursor ?? null };
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#http.close();
  }

  async #write(
    account_id: string,
    action: NetworkAction,
    common: PerformOptions & { effect: true },
  ): Promise<PerformResult> {
    const form = new FormData();
    form.set('text', action.text ?? '');
    if (action.chatId && action.kind === 'message') {
      const path = ['chats', action.chatId, 'messages'];
      const done = await this.#effect(answers.messageSentAnswer, { ...common, method: 'POST', path, form }, action);
      return { ref: done.message_id ?? null, chatId: action.chatId };
    }
    form.set('account_id', account_id);
    form.set('attendees_ids', action.providerId);
    if (action.kind === 'inmail') {
      form.set('linkedin[api]', 'classic');
      form.set('linkedin[inmail]', 'true');
      if (action.subject) form.set('subject', action.subject);
    }
    const done = await this.#effect(
      answers.chatStartedAnswer,
      { ...common, method: 'POST', path: ['chats'], form },
      action,
    );
    return { ref: done.message_id ?? null, ...(done.chat_id ? { chatId: done.chat_id } : {}) };
  }

  /** A 2xx whose body can't be read was done but leaves no reference: a look-up finds it. */
  async #effect<S extends z.ZodType>(
    schema: S | null,
    call: UnipileCall,
    action: { kind: NetworkAction['kind'] | 'post' },
  ): Promise<z.infer<S>> {
    const answer = await this.#http.call(call);
    if (answer.status < 200 || answer.status >= 300) refuse(answer, true, action.kind);
    if (!schema) return undefined as z.infer<S>;
    const parsed = schema.safeParse(answer.body);
    if (!parsed.success)
      throw new ProviderError('unknown_outcome', `unreadable answer ${answer.status} to ${action.kind}`);
    return parsed.data;
  }

  async #read<S extends z.ZodType>(schema: S, call: UnipileQuestion): Promise<z.infer<S>> {
    return parsed(schema, await this.#http.call({ method: 'GET', ...call, effect: false }), call.path);
  }

  /** As a read; null where the network has no such thing. */
  async #find<S extends z.ZodType>(schema: S, call: UnipileQuestion): Promise<z.infer<S> | null> {
    const answer = await this.#http.call({ method: 'GET', ...call, effect: false });
    return isMissing(answer) ? null : parsed(schema, answer, call.path);
  }

  #list<S extends z.ZodType>(
    schema: S,
    path: readonly string[],
    account: AccountRef,
    options: PageOptions,
    more: Readonly<Record<string, string | undefined>> = {},
  ): Promise<z.infer<S>> {
    const limit = String(Math.min(options.limit ?? LIST_PAGE, LIST_PAGE));
    const query = { account_id: account.externalId, limit, cursor: options.cursor, ...more };
    return this.#read(schema, { path, query, signal: options.signal });
  }
}

/** A public id in the one form in which persons are known here, whatever case and code it comes in; null when it is none. */
function publicIdOf(given: string | null | undefined): string | null {
  return given ? profileId(given) : null;
}

/** Epoch ms of an ISO instant; null when there is none or it is no date. */
function instant(iso: string | null | undefined): number | null {
  const at = iso ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
