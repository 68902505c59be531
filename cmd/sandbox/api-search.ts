import { z } from 'zod';
import { accountOf } from './api-accounts.ts';
import { type Call, Refusal, type Reply } from './http.ts';
import { readCursor, readLimit, required, writeCursor } from './listing.ts';
import { personOf, profileUrl } from './person.ts';
import { companyOf, nameOfPerson, type ScriptedPost, scriptedPost, searchOf } from './scripts.ts';
import type { World } from './world.ts';

const searchBody = z.union([
  z.strictObject({ url: z.url().max(2_000) }),
  z.strictObject({
    api: z.enum(['classic', 'sales_navigator', 'recruiter']),
    category: z.enum(['people', 'posts']),
    keywords: z.string().min(1).max(500).optional(),
    company: z.array(z.string().min(1).max(200)).max(20).optional(),
    sort_by: z.enum(['date', 'relevance']).optional(),
  }),
]);

/** Ids of companies begin so. */
const COMPANY = 'c-';
/** Results of a classic search beyond which the network shows none. */
const MOST_FOUND = 1_000;

/** `GET linkedin/company/{id}` */
export function getCompany(world: World, call: Call): Reply {
  accountOf(world, required(call, 'account_id'));
  const publicId = slugOf(call.path[2] ?? '');
  if (publicId.startsWith('missing')) throw new Refusal(404, 'resource_not_found', 'no such company');
  const { name, headcount } = companyOf(world, publicId);
  const body = {
    object: 'CompanyProfile',
    id: `${COMPANY}${publicId}`,
    name,
    public_identifier: publicId,
    profile_url: `https://www.linkedin.com/company/${publicId}`,
    ...(headcount === null ? {} : { employee_count: headcount }),
  };
  return { status: 200, body };
}

/** `GET users/{id}/posts?is_company=true`: what the company posted, in the order that it has today. */
export function listCompanyPosts(world: World, call: Call): Reply {
  accountOf(world, required(call, 'account_id'));
  const publicId = slugOf(call.path[1] ?? '');
  const { name, posts } = companyOf(world, publicId);
  const author = { public_identifier: publicId, name, is_company: true };
  return page(call, posts, 'PostList', (post) => postItem(world, post, author));
}

/** Who reacted to a post of a company or a search, newest first; undefined: it is none of theirs. */
export function scriptedReactions(world: World, call: Call): Reply | undefined {
  const post = scriptedPost(world, call.path[1] ?? '');
  if (!post) return undefined;
  return page(call, post.reactions ?? [], 'PostReactionList', (publicId) => ({
    object: 'PostReaction',
    value: 'LIKE',
    author: { type: 'INDIVIDUAL', ...personItem(world, publicId) },
  }));
}

/** Who commented on a post of a company or a search; undefined: it is none of theirs. */
export function scriptedComments(world: World, call: Call): Reply | undefined {
  const post = scriptedPost(world, call.path[1] ?? '');
  if (!post) return undefined;
  return page(call, post.comments ?? [], 'CommentList', (publicId) => ({
    object: 'Comment',
    id: `${post.id}-${publicId}`,
    author: nameOfPerson(world, publicId),
    author_details: { ...personItem(world, publicId), is_company: false },
    date: new Date(post.at).toISOString(),
    text: 'Well said',
  }));
}

/** `POST linkedin/search`: people or posts, by words, by a company or by the address of a search. */
export function search(world: World, call: Call): Reply {
  accountOf(world, required(call, 'account_id'));
  const parsed = searchBody.safeParse(call.body);
  if (!parsed.success) throw new Refusal(400, 'invalid_parameters', z.prettifyError(parsed.error));
  const { category, words, company } = wantedOf(parsed.data);
  if (category === 'posts')
    return page(call, searchOf(world, words).posts, 'LinkedinSearch', (post) => postItem(world, post, null));
  const found = company === null ? searchOf(world, words).people : companyOf(world, company).staff;
  return page(call, found.slice(0, MOST_FOUND), 'LinkedinSearch', (publicId) => ({
    type: 'PEOPLE',
    ...personItem(world, publicId),
  }));
}

function wantedOf(body: z.infer<typeof searchBody>): {
  category: 'people' | 'posts';
  words: string;
  company: string | null;
} {
  if (!('url' in body)) {
    const [company] = body.company ?? [];
    return { category: body.category, words: body.keywords ?? '', company: company ? slugOf(company) : null };
  }
  const url = new URL(body.url);
  const category = url.pathname.includes('/content') ? 'posts' : 'people';
  return { category, words: url.searchParams.get('keywords') ?? url.search.slice(1), company: null };
}

const slugOf = (id: string): string => (id.startsWith(COMPANY) ? id.slice(COMPANY.length) : id);

function page<T>(call: Call, all: readonly T[], object: string, item: (one: T) => object): Reply {
  const limit = readLimit(call);
  const from = readCursor(call) ?? 0;
  const items = all.slice(from, from + limit).map(item);
  const cursor = all.length > from + limit ? writeCursor(from + limit) : null;
  return { status: 200, body: { object, items, cursor } };
}

function personItem(world: World, publicId: string): Record<string, unknown> {
  const person = personOf(world.seed, publicId);
  return {
    id: `ACo-${publicId}`,
    public_identifier: publicId,
    name: `${person.firstName} ${person.lastName}`,
    headline: person.headline,
    profile_url: profileUrl(publicId),
  };
}

function postItem(world: World, post: ScriptedPost, company: object | null): object {
  const at = new Date(post.at).toISOString();
  const named = { name: post.authorName ?? 'A company', is_company: true };
  const author = company ?? (post.author ? { ...personItem(world, post.author), is_company: false } : named);
  return {
    type: 'POST',
    object: 'Post',
    id: post.id,
    social_id: post.id,
    share_url: `https://www.linkedin.com/feed/update/${encodeURIComponent(post.id)}`,
    text: post.text,
    date: at,
    parsed_datetime: at,
    author,
    is_repost: false,
  };
}
