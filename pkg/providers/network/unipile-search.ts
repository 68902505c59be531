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
import { postOf, type UnipileWire } from './unipile-engagement.ts';
import { shownPerson } from './unipile-person.ts';

/** Most results of a page. Source: the provider's limits of a classic search. */
const SEARCH_PAGE = 50;

/** What the network shows to everybody: companies, their posts, who reacts to them, and what searches find. Reads only. */
export class UnipileSearch {
  readonly #wire: UnipileWire;

  constructor(wire: UnipileWire) {
    this.#wire = wire;
  }

  /** @throws ProviderError */
  async company(account: AccountRef, publicId: string, signal?: AbortSignal): Promise<NetworkCompany | null> {
    const path = ['linkedin', 'company', publicId];
    const query = { account_id: account.externalId };
    const found = await this.#wire.find(answers.companyAnswer, { path, query, signal });
    if (found === null) return null;
    return { companyId: found.id, name: found.name ?? '', headcount: found.employee_count ?? null };
  }

  /** @throws ProviderError */
  async companyPosts(account: AccountRef, companyId: string, options: PageOptions): Promise<Page<NetworkPost>> {
    const path = ['users', companyId, 'posts'];
    const page = await this.#wire.list(answers.postList, path, account, options, { is_company: 'true' });
    return { items: page.items.map(postOf), cursor: page.cursor ?? null };
  }

  /** @throws ProviderError */
  async reactions(account: AccountRef, postId: string, options: PageOptions): Promise<Page<NetworkReaction>> {
    const page = await this.#wire.list(answers.reactionList, ['posts', postId, 'reactions'], account, options);
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
    const path = ['linkedin', 'search'];
    return this.#wire.read(schema, { method: 'POST', path, query, json, signal: options.signal });
  }
}

function bodyOf(search: NetworkSearch): object {
  if (!('companyId' in search)) return search;
  if (search.companyId === '') throw new ProviderError('rejected', 'no company is named');
  return { company: [search.companyId] };
}
