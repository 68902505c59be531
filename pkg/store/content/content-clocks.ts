import { MISSED_AFTER_MS } from '../../domain/content/late-post.ts';
import { instantOfLocal } from '../../domain/content/wall-clock.ts';
import type { Tx } from '../../postgres/database.ts';
import { changePost, lockPost, markPost, planPost } from './content-posts.ts';

/** Scheduled posts that one transaction looks at. */
export const CLOCKS_AT_ONCE = 500;

/** A scheduled post for which a wall clock was meant. */
export interface ClockedPost {
  id: string;
  localAt: string;
  /** The zone that was named, else that of its account now. */
  timezone: string;
  scheduledAt: number;
}

/** Scheduled posts by wall clocks, in the order of their ids. @param after id of the last one that is known; null: from the first */
export function clockedPosts(tx: Tx, after: string | null, limit = CLOCKS_AT_ONCE): Promise<ClockedPost[]> {
  return tx.rows<ClockedPost>(
    `select p.id, p.local_at as "localAt", coalesce(p.timezone, a.timezone) as timezone,
       p.scheduled_at as "scheduledAt"
     from content_post p
     join network_account a on a.id = p.account_id
     where p.state = 'scheduled'
       and p.local_at is not null
       and p.failure is null
       and ($1::uuid is null or p.id > $1)
     order by p.id limit $2`,
    [after, limit],
  );
}

/** Whether the clock of a post shows its time at another instant now than it is scheduled for. */
export function isMoved({ localAt, timezone, scheduledAt }: ClockedPost): boolean {
  return instantOfLocal(localAt, timezone).at !== scheduledAt;
}

/**
 * Moves a post whose clock shows its time at another instant now: the zone of its account was changed, or the rules of a zone were. What
 * is on its way stays. Rule C5.
 * @param newId of the action, where none is open
 * @returns whether it was moved
 */
export async function followClock(tx: Tx, post: ClockedPost, now: number, newId: string): Promise<boolean> {
  const { at } = instantOfLocal(post.localAt, post.timezone);
  if (at === post.scheduledAt) return false;
  const held = await lockPost(tx, post.id);
  if (held?.state !== 'scheduled' || held.localAt !== post.localAt || held.sendState !== null) return false;
  const plan = { part: 'post' as const, id: newId, dueAt: at, expiresAt: at + MISSED_AFTER_MS };
  if ((await planPost(tx, post.id, { ...plan, by: held.madeBy }, now)) !== null) return false;
  await changePost(tx, post.id, { scheduledAt: at }, now);
  const data = { scheduledAt: new Date(at).toISOString(), localTime: post.localAt, timezone: post.timezone };
  await markPost(tx, held, {
    at: now,
    kind: 'moved',
    actor: 'system',
    text: 'Its clock shows its time at another instant now.',
    data,
  });
  return true;
}
