import type { z } from 'zod';
import {
  type AccountRef,
  type NetworkCompany,
  type NetworkPost,
  type NetworkReaction,
  type NetworkSearch,
  type Page,
  type PageOptions,
  ProviderError,
  type SearchedPost,
  type ShownPerson,
} from './network-provider.ts';
import * as answers from './unipile-answers.ts';
import { postOf } from './unipile-engagement.ts';
import type { UnipileCall, UnipileHttp } from './unipile-http.ts';
import { shownPerson } from './unipile-person.ts';
import { isMissing, parsed } from './unipile-refusals.ts';

/** Most results of a page. Source: the provider's limits of a classic search, and of its lists. */
const SEARCH_PAGE = 50;
const LIST_PAGE = 100;

/** What the network shows to everybody: companies, their posts, who reacts to them, and what searches find. Reads only. */
export class UnipileSearch {
  readonly #http: UnipileHttp;

  constructor(http: UnipileHttp) {
    this.#http = http;
  }

  /** @throws ProviderError */
  async company(account: AccountRef, publicId: string, signal?: AbortSignal): Promise<NetworkCompany | null> {
    const path = ['linkedin', 'company', publicId];
    const query = { account_id: account.externalId };
    const answer = await this.#http.call({ method: 'GET', path, query, effect: false, signal });
    if (isMissing(answer)) return null;
    const found = parsed(answers.companyAnswer, answer, path);
    return { companyId: found.id, name: found.name ?? '', headcount: found.employee_count ?? null };
  }

  /** @throws ProviderError */
  async companyPosts(account: AccountRef, companyId: string, options: PageOptions): Promise<Page<NetworkPost>> {
    const path = ['users', companyId, 'posts'];
    const page = await this.#page(answers.postList, path, account, options, { is_company: 'true' });
    return { items: page.items.map(postOf), cursor: page.cursor ?? null };
  }

  /** @throws ProviderError */
  async reactions(account: AccountRef, postId: string, options: PageOptions): Promise<Page<NetworkReaction>> {
    const page = await this.#page(answers.reactionList, ['posts', postId, 'reactions'], account, options);
    const items = page.items.flatMap((item) => {
      const person = shownPerson(item.author);
      return person === null ? [] : [{ person, kind: item.value ?? '' }];
    });
    return { items, cursor: page.cursor ?? null };
  }

  /** @throws ProviderError */
  async people(account: AccountRef, search: NetworkSearch, options: PageOptions): Promise<Page<ShownPerson>> {
    const page = await this.#search(answers.peopleFound, account, { category: 'people', ...bodyOf(search) }, options);
    const items = page.items.flatMap((item) => shownPerson(item) ?? []);
    return { items, cursor: page.cursor ?? null };
  }

  /** @throws ProviderError */
  async posts(account: AccountRef, search: NetworkSearch, options: PageOptions): Promise<Page<SearchedPost>> {
    const body = { category: 'posts', sort_by: 'date', ...bodyOf(search) };
    const page = await this.#search(answers.postsFound, account, body, options);
    const items = page.items.flatMap((item) => {
      const social_id = item.social_id ?? item.id;
      if (!social_id) return [];
      const author = shownPerson(item.author);
      return [{ ...postOf({ ...item, social_id, permissions: null }), author, authorName: item.author?.name ?? '' }];
    });
    return { items, cursor: page.cursor ?? null };
  }

  async #page<S extends z.ZodType>(
    schema: S,
    path: string[],
    account: AccountRef,
    options: PageOptions,
    more: Record<string, string> = {},
  ): Promise<z.infer<S>> {
    const limit = String(Math.min(options.limit ?? LIST_PAGE, LIST_PAGE));
    const query = { account_id: account.externalId, limit, cursor: options.cursor, ...more };
    return this.#read(schema, { method: 'GET', path, query, effect: false, signal: options.signal });
  }

  #search<S extends z.ZodType>(
    schema: S,
    account: AccountRef,
    body: object,
    options: PageOptions,
  ): Promise<z.infer<S>> {
    const limit = String(Math.min(options.limit ?? SEARCH_PAGE, SEARCH_PAGE));
    const query = { account_id: account.externalId, limit, cursor: options.cursor };
    // A search by its address brings its own category along, and refuses another one beside it.
    const json = 'url' in body ? { url: body.url } : { api: 'classic', ...body };
    const call: UnipileCall = { method: 'POST', path: ['linkedin', 'search'], query, json, effect: false };
    return this.#read(schema, { ...call, signal: options.signal });
  }

  async #read<S extends z.ZodType>(schema: S, call: UnipileCall): Promise<z.infer<S>> {
    return parsed(schema, await this.#http.call(call), call.path);
  }
}

function bodyOf(search: NetworkSearch): object {
  if (!('companyId' in search)) return search;
  if (search.companyId === '') throw new ProviderError('rejected', 'no company is named');
  return { company: [search.companyId] };
}
