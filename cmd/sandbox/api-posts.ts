import { z } from 'zod';
import { REACTIONS } from '../../pkg/providers/network/network-provider.ts';
import { accountOf } from './api-accounts.ts';
import { listOwnPosts, ownPostItem, ownPostOf } from './api-own-posts.ts';
import { listCompanyPosts, scriptedComments, scriptedReactions } from './api-search.ts';
import { record } from './api-users.ts';
import { type Call, Refusal, type Reply } from './http.ts';
import { readCursor, readLimit, required, writeCursor } from './listing.ts';
import { personOf } from './person.ts';
import { ownerId } from './webhook-bodies.ts';
import type { World } from './world.ts';

const DAY_MS = 86_400_000;
const accountId = z.string().min(1).max(200);
const reactionBody = z.object({
  account_id: accountId,
  post_id: z.string().min(1).max(200),
  reaction_type: z.enum(REACTIONS).optional(),
});
const commentBody = z.object({ account_id: accountId, text: z.string().min(1).max(1_250) });

interface PostRow {
  id: string;
  public_id: string;
  posted_at: number;
  repost: number;
}
interface CommentRow {
  row: number;
  id: string;
  post_id: string;
  account_id: string;
  text: string;
  at: number;
}

/** `GET users/{id}/posts`: newest first. */
export function listPosts(world: World, call: Call): Reply {
  if (call.query.get('is_company') === 'true') return listCompanyPosts(world, call);
  const account = required(call, 'account_id');
  accountOf(world, account);
  if (call.path[1] === ownerId(account)) return listOwnPosts(world, call);
  const publicId = world.resolve(account, call.path[1] ?? '');
  if (!publicId) throw new Refusal(404, 'resource_not_found', 'no such profile');
  const items = postsOf(world, publicId).map((post) => postItem(world, post));
  return { status: 200, body: { object: 'PostList', items: items.slice(0, readLimit(call)), cursor: null } };
}

/** `GET posts/{id}`: by its id, or by the number of its address. */
export function getPost(world: World, call: Call): Reply {
  accountOf(world, required(call, 'account_id'));
  const own = ownPostOf(world, call.path[1] ?? '');
  if (own) return { status: 200, body: ownPostItem(world, own) };
  return { status: 200, body: postItem(world, personsPost(world, call.path[1] ?? '')) };
}

/** `GET posts/{id}/reactions`: who reacted, by their ids for the account that asks. */
export function listReactions(world: World, call: Call): Reply {
  const account = required(call, 'account_id');
  accountOf(world, account);
  const scripted = scriptedReactions(world, call);
  if (scripted) return scripted;
  const post = postOf(world, call.path[1] ?? '');
  const rows = world.store.all<{ account_id: string; kind: string }>(
    'select account_id, kind from reaction where post_id = ? limit ?',
    post.id,
    readLimit(call),
  );
  const items = rows.map((row) => ({ object: 'PostReaction', value: row.kind, author: { id: row.account_id } }));
  return { status: 200, body: { object: 'PostReactionList', items, cursor: null } };
}

/** `POST posts/reaction`: a second one by the same account replaces the first. */
export function react(world: World, call: Call): Reply {
  const { account_id, post_id, reaction_type = 'like' } = parse(reactionBody, call.body);
  accountOf(world, account_id);
  const post = postOf(world, post_id);
  world.store.run(
    'insert or replace into reaction (account_id, post_id, kind) values (?, ?, ?)',
    account_id,
    post.id,
    reaction_type,
  );
  record(world, call, account_id, 'like', post.public_id, reaction_type);
  return { status: 201, body: { object: 'ReactionAdded' } };
}

/** `POST posts/{id}/comments`: every call is a comment of its own, repeated or not. */
export function comment(world: World, call: Call): Reply {
  const { account_id, text } = parse(commentBody, call.body);
  accountOf(world, account_id);
  const post = postOf(world, call.path[1] ?? '');
  const id = world.ids.uuid();
  world.store.run(
    'insert into comment (id, post_id, account_id, text, at, visible_real) values (?, ?, ?, ?, ?, ?)',
    id,
    post.id,
    account_id,
    text,
    world.clock.now(),
    call.visibleReal,
  );
  record(world, call, account_id, 'comment', post.public_id, text);
  return { status: 201, body: { object: 'CommentSent', comment_id: id } };
}

/** `GET posts/{id}/comments`: newest first. */
export function listComments(world: World, call: Call): Reply {
  accountOf(world, required(call, 'account_id'));
  const scripted = scriptedComments(world, call);
  if (scripted) return scripted;
  const post = postOf(world, call.path[1] ?? '');
  const limit = readLimit(call);
  const rows = world.store.all<CommentRow>(
    'select * from comment where post_id = ? and row < ? and visible_real <= ? order by row desc limit ?',
    post.id,
    readCursor(call) ?? Number.MAX_SAFE_INTEGER,
    world.real.now(),
    limit + 1,
  );
  const items = rows.slice(0, limit).map((row) => ({
    object: 'Comment',
    id: row.id,
    author: row.account_id,
    author_details: { id: ownerId(row.account_id), headline: null, profile_url: null, network_distance: null },
    date: new Date(row.at).toISOString(),
    text: row.text,
    reaction_counter: 0,
    reply_counter: 0,
  }));
  const last = rows[limit - 1];
  const cursor = rows.length > limit && last ? writeCursor(last.row) : null;
  return { status: 200, body: { object: 'CommentList', items, cursor, total_items: null } };
}

/** What the person has posted; written when it is first asked for, so that posts keep their dates. */
function postsOf(world: World, publicId: string): PostRow[] {
  const known = (): PostRow[] =>
    world.store.all('select * from post where public_id = ? order by posted_at desc', publicId);
  const rows = known();
  if (rows.length > 0) return rows;
  const { posts, postAgeDays, reposts } = world.behaviour(publicId);
  for (let index = 0; index < posts; index++) {
    world.store.run(
      'insert into post (id, public_id, posted_at, repost) values (?, ?, ?, ?)',
      `urn:li:activity:${world.ids.uuid()}`,
      publicId,
      Math.round(world.clock.now() - (postAgeDays + 7 * index) * DAY_MS),
      reposts && index === 0 ? 1 : 0,
    );
  }
  return known();
}

function postOf(world: World, id: string): Pick<PostRow, 'id' | 'public_id'> {
  return ownPostOf(world, id) ? { id, public_id: '' } : personsPost(world, id);
}

function personsPost(world: World, id: string): PostRow {
  const urn = id.startsWith('urn:') ? id : `urn:li:activity:${id}`;
  const post = world.store.one<PostRow>('select * from post where id = ?', urn) ?? numbered(world, urn);
  if (!post) throw new Refusal(404, 'resource_not_found', 'no such post');
  return post;
}

/** Posts with a number of the network's length are there, each of somebody of the population. */
function numbered(world: World, urn: string): PostRow | undefined {
  const [, number] = /^urn:li:activity:(7\d{18})$/.exec(urn) ?? [];
  if (number === undefined) return undefined;
  const post = { id: urn, public_id: `author-${number.slice(-6)}`, posted_at: Math.round(world.clock.now() - DAY_MS) };
  world.store.run(
    'insert into post (id, public_id, posted_at, repost) values (?, ?, ?, 0)',
    post.id,
    post.public_id,
    post.posted_at,
  );
  return { ...post, repost: 0 };
}

function postItem(world: World, post: PostRow): object {
  const person = personOf(world.seed, post.public_id);
  const at = new Date(post.posted_at).toISOString();
  return {
    object: 'Post',
    provider: 'LINKEDIN',
    id: post.id,
    social_id: post.id,
    share_url: `https://www.linkedin.com/feed/update/${post.id}`,
    text: `What ${person.firstName} thinks`,
    date: at,
    parsed_datetime: at,
    reaction_counter: 0,
    comment_counter: 0,
    repost_counter: 0,
    impressions_counter: 0,
    author: { public_identifier: post.public_id, name: `${person.firstName} ${person.lastName}`, is_company: false },
    permissions: { can_react: true, can_share: true, can_post_comments: true },
    is_repost: post.repost === 1,
    attachments: [],
  };
}

function parse<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Refusal(400, 'invalid_parameters', z.prettifyError(parsed.error));
  return parsed.data;
}
