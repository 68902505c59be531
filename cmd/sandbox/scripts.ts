import { z } from 'zod';
import { hashFloat } from '../../pkg/domain/random.ts';
import { personOf } from './person.ts';
import type { World } from './world.ts';

const id = z.string().min(1).max(300);
const people = z.array(id).max(2_000);

/** A post as a test tells it; times epoch ms. `author` absent: the company wrote it. */
const post = z.strictObject({
  id,
  text: z.string().max(8_000),
  at: z.number(),
  author: id.optional(),
  authorName: z.string().max(200).optional(),
  reactions: people.optional(),
  comments: people.optional(),
});
export type ScriptedPost = z.infer<typeof post>;

/** A page of a company, in the order in which its lists are shown. */
const company = z.strictObject({
  name: z.string().max(200),
  headcount: z.number().int().nullable(),
  staff: people,
  posts: z.array(post).max(2_000),
});
export type CompanyScript = z.infer<typeof company>;

/** What a search finds, in this order. */
const search = z.strictObject({ people, posts: z.array(post).max(2_000) });
export type SearchScript = z.infer<typeof search>;

/** What a site answers on each path; `redirect`: where it sends the caller. */
const site = z.record(
  z.string().max(200),
  z.strictObject({
    status: z.int().min(200).max(599).default(200),
    text: z.string().max(2_000_000).default(''),
    contentType: z.string().max(100).default('text/html; charset=utf-8'),
    redirect: z.string().max(500).optional(),
  }),
);
export type SiteScript = z.infer<typeof site>;

/** `company`: by public id; `search`: by its words, lower case; `site`: by its host. */
export const scriptBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('company'), name: id, script: company.partial() }),
  z.strictObject({ kind: z.literal('search'), name: id, script: search.partial() }),
  z.strictObject({ kind: z.literal('site'), name: id, script: site }),
]);

const DAY_MS = 86_400_000;
const FIRST = ['ada', 'ben', 'cleo', 'dan', 'eve', 'finn', 'gus', 'hana'];
const LAST = ['adler', 'brandt', 'cohen', 'duarte', 'eriks', 'falk', 'gruber', 'haas'];

/** Keeps what a company, a search or a site shows from now on; it takes the place of what was told before. */
export function setScript(world: World, given: z.infer<typeof scriptBody>): object {
  const value = JSON.stringify(given.script);
  world.store.run('insert or replace into setting (name, value) values (?, ?)', nameOf(given.kind, given.name), value);
  return { kind: given.kind, name: given.name };
}

/** A company that nobody scripted has a page too, with a post a week. */
export function companyOf(world: World, publicId: string): CompanyScript {
  const words = publicId.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const drawn = {
    name: words.join(' '),
    headcount: 20 + Math.floor(hashFloat(world.seed, 'headcount', publicId) * 2_000),
    staff: strangers(world, `staff of ${publicId}`, 8),
    posts: lately(world, 7).map((at) => ({
      id: `urn:li:activity:${publicId}-${at / DAY_MS}`,
      text: `News of ${words.join(' ')}`,
      at,
      reactions: strangers(world, `${publicId} ${at}`, 5),
      comments: strangers(world, `${publicId} ${at}`, 2),
    })),
  };
  return { ...drawn, ...saved<Partial<CompanyScript>>(world, 'company', publicId) };
}

/** A search that nobody scripted finds some people, and a post a day. */
export function searchOf(world: World, words: string): SearchScript {
  const name = words.trim().toLowerCase();
  const drawn = {
    people: strangers(world, name, 10),
    posts: lately(world, 1).map((at) => ({
      id: `urn:li:activity:${Math.floor(hashFloat(world.seed, name) * 1e9)}-${at / DAY_MS}`,
      text: `What I learnt about ${words}`,
      at,
      author: strangers(world, `${name} ${at}`, 1)[0] ?? 'ada-adler',
    })),
  };
  return { ...drawn, ...saved<Partial<SearchScript>>(world, 'search', name) };
}

/** Undefined: nobody has told of such a site. */
export function siteOf(world: World, host: string): SiteScript | undefined {
  return saved<SiteScript>(world, 'site', host.toLowerCase());
}

/** The post that a company or a search shows under this id. */
export function scriptedPost(world: World, postId: string): ScriptedPost | undefined {
  const rows = world.store.all<{ name: string }>(
    `select name from setting where name like 'script:company:%' or name like 'script:search:%'`,
  );
  for (const { name } of rows) {
    const [, kind = '', of = ''] = /^script:(company|search):(.*)$/.exec(name) ?? [];
    const shown = kind === 'company' ? companyOf(world, of) : searchOf(world, of);
    const found = shown.posts.find((one) => one.id === postId);
    if (found) return found;
  }
  const drawn = /^urn:li:activity:(.+)-\d+$/.exec(postId)?.[1];
  return drawn ? companyOf(world, drawn).posts.find((one) => one.id === postId) : undefined;
}

/** The name that is shown of a person. */
export function nameOfPerson(world: World, publicId: string): string {
  const { firstName, lastName } = personOf(world.seed, publicId);
  return `${firstName} ${lastName}`;
}

function saved<T>(world: World, kind: string, name: string): T | undefined {
  const row = world.store.one<{ value: string }>('select value from setting where name = ?', nameOf(kind, name));
  return row && (JSON.parse(row.value) as T);
}

const nameOf = (kind: string, name: string): string => `script:${kind}:${name.toLowerCase()}`;

/** Three beginnings of days, so many apart, newest first: the same for all who ask on a day. */
function lately(world: World, days: number): number[] {
  const today = Math.floor(world.clock.now() / (days * DAY_MS)) * days * DAY_MS;
  return [0, 1, 2].map((back) => today - back * days * DAY_MS);
}

function strangers(world: World, of: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const draw = (list: readonly string[], what: string): string =>
      list[Math.floor(hashFloat(world.seed, of, String(at), what) * list.length)] ?? '';
    const number = Math.floor(hashFloat(world.seed, of, String(at), 'number') * 1e6);
    return `${draw(FIRST, 'first')}-${draw(LAST, 'last')}-${number}`;
  });
}
