import { z } from 'zod';
import { accountOf } from './api-accounts.ts';
import { record } from './api-users.ts';
import { type Call, Refusal, type Reply } from './http.ts';
import { readCursor, readLimit, required, writeCursor } from './listing.ts';
import { profileUrl } from './person.ts';
import type { World } from './world.ts';

/** Characters of a post that the network takes, in UTF-16 units. */
const MAX_TEXT = 3_000;
const DUPLICATE_MS = 30 * 86_400_000;

/** How the network treats what is posted from now on. */
export const postModeSchema = z.strictObject({
  /** It takes no second post with the words of one of the last 30 days, and names the first. */
  refuseDuplicates: z.boolean().default(false),
  /** Longer texts end there, without a word. */
  truncateAt: z.int().min(0).max(MAX_TEXT).nullable().default(null),
  /** What it confirms never shows. */
  vanish: z.boolean().default(false),
  /** Its lists show no posts, as those that lag do; a post that is asked for shows. */
  unlisted: z.boolean().default(false),
  /** So many posts are refused as duplicates of one that is not there. */
  ghosts: z.int().min(0).max(100).default(0),
});
export type PostMode = z.infer<typeof postModeSchema>;

export interface OwnPostRow {
  row: number;
  id: string;
  account_id: string;
  text: string;
  at: number;
  files: string;
  hidden: number;
}

const body = z.object({
  account_id: z.string().min(1).max(200),
  text: z.string().min(1).max(MAX_TEXT),
  attachments: z.union([z.instanceof(Blob), z.array(z.instanceof(Blob))]).optional(),
});

export function postMode(world: World): PostMode {
  const saved = world.store.one<{ value: string }>(`select value from setting where name = 'posts'`);
  return postModeSchema.parse(saved ? JSON.parse(saved.value) : {});
}

export function setPostMode(world: World, mode: PostMode): PostMode {
  world.store.run(`insert or replace into setting (name, value) values ('posts', ?)`, JSON.stringify(mode));
  return mode;
}

/** `POST posts`: every call is a post of its own, repeated or not, unless the network is told to refuse duplicates. */
export function createPost(world: World, call: Call): Reply {
  const parsed = body.safeParse(call.body);
  if (!parsed.success) throw new Refusal(400, 'invalid_parameters', z.prettifyError(parsed.error));
  const { account_id, text, attachments } = parsed.data;
  accountOf(world, account_id);
  const mode = postMode(world);
  if (mode.ghosts > 0) {
    setPostMode(world, { ...mode, ghosts: mode.ghosts - 1 });
    throw duplicate(`urn:li:activity:${world.ids.uuid()}`);
  }
  const same = mode.refuseDuplicates ? sameText(world, account_id, text) : undefined;
  if (same) throw duplicate(same.id);
  const files = [attachments ?? []].flat().map((file) => ({ type: file.type, size: file.size }));
  const id = `urn:li:activity:${world.ids.uuid()}`;
  world.store.run(
    `insert into own_post (id, account_id, text, at, files, visible_real, hidden, sent)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    account_id,
    mode.truncateAt === null ? text : text.slice(0, mode.truncateAt),
    world.clock.now(),
    JSON.stringify(files),
    call.visibleReal,
    mode.vanish ? 1 : 0,
    text,
  );
  record(world, call, account_id, 'post', '', text);
  return { status: 201, body: { object: 'PostCreated', post_id: id } };
}

/** `GET users/{own id}/posts`: newest first. */
export function listOwnPosts(world: World, call: Call): Reply {
  const account = required(call, 'account_id');
  if (postMode(world).unlisted) return { status: 200, body: { object: 'PostList', items: [], cursor: null } };
  const limit = readLimit(call);
  const rows = world.store.all<OwnPostRow>(
    `select * from own_post
     where account_id = ? and row < ? and visible_real <= ? and hidden = 0 order by row desc limit ?`,
    account,
    readCursor(call) ?? Number.MAX_SAFE_INTEGER,
    world.real.now(),
    limit + 1,
  );
  const items = rows.slice(0, limit).map((row) => ownPostItem(world, row));
  const last = rows[limit - 1];
  const cursor = rows.length > limit && last ? writeCursor(last.row) : null;
  return { status: 200, body: { object: 'PostList', items, cursor } };
}

/** A post of an account that shows. */
export function ownPostOf(world: World, id: string): OwnPostRow | undefined {
  return world.store.one<OwnPostRow>(
    'select * from own_post where id = ? and visible_real <= ? and hidden = 0',
    id,
    world.real.now(),
  );
}

/** Everything that accounts posted, in the order in which it came, whether it shows or not: the judge of "exactly once". */
export function allOwnPosts(world: World): object[] {
  return world.store
    .all<OwnPostRow & { sent: string }>('select * from own_post order by row limit 100000')
    .map((row) => ({
      postId: row.id,
      accountId: row.account_id,
      text: row.sent,
      at: new Date(row.at).toISOString(),
      files: JSON.parse(row.files),
    }));
}

export function ownPostItem(world: World, row: OwnPostRow): object {
  const at = new Date(row.at).toISOString();
  const count = (table: 'reaction' | 'comment'): number =>
    world.store.one<{ n: number }>(`select count(*) as n from ${table} where post_id = ?`, row.id)?.n ?? 0;
  return {
    object: 'Post',
    provider: 'LINKEDIN',
    id: row.id,
    social_id: row.id,
    share_url: `${profileUrl(row.account_id)}/posts/${encodeURIComponent(row.id)}`,
    text: row.text,
    date: at,
    parsed_datetime: at,
    reaction_counter: count('reaction'),
    comment_counter: count('comment'),
    repost_counter: 0,
    impressions_counter: 0,
    author: { public_identifier: row.account_id, name: row.account_id, is_company: false },
    permissions: { can_react: true, can_share: true, can_post_comments: true },
    is_repost: false,
    attachments: JSON.parse(row.files),
  };
}

function sameText(world: World, accountId: string, text: string): OwnPostRow | undefined {
  return world.store.one<OwnPostRow>(
    'select * from own_post where account_id = ? and sent = ? and at > ? order by row limit 1',
    accountId,
    text,
    world.clock.now() - DUPLICATE_MS,
  );
}

function duplicate(urn: string): Refusal {
  return new Refusal(422, 'unprocessable_entity', `DUPLICATE_POST: content is a duplicate of ${urn}`);
}
