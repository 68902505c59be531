import type { Tx } from '../../postgres/database.ts';

/** Days (product time) after its publication for which the bytes of a post's media are kept. */
const KEEP_MEDIA_DAYS = 30;
/** Media of which one statement forgets the bytes at most: each has up to 48 pieces. */
const AT_ONCE = 100;
const DAY_MS = 86_400_000;

/**
 * Forgets the bytes of media whose posts went out long ago: what they were (address, hash, size) stays. Platform only.
 * @param now epoch ms, product time
 * @returns whether there are more
 */
export async function forgetMedia(tx: Tx, now: number): Promise<boolean> {
  const gone = await tx.rows<{ id: string }>(
    `update content_medium
     set gone_at = $2
     where id = any (array(
       select m.id
       from content_medium m
       join content_post p on p.id = m.post_id
       where m.state = 'ready' and m.gone_at is null and p.published_at < $1
       order by m.workspace_id, m.post_id limit ${AT_ONCE}
       for update of m skip locked
     ))
     returning id`,
    [now - KEEP_MEDIA_DAYS * DAY_MS, now],
  );
  await tx.exec('delete from content_chunk where medium_id = any ($1)', [gone.map(({ id }) => id)]);
  return gone.length === AT_ONCE;
}
