import { saysTheSame } from '../../domain/content/post-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { neighboursOf } from '../../store/content/content-posts.ts';
import { iso } from '../times.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The network takes the same words of one account no second time within about this. Rule C4. */
const SAME_TEXT_MS = 30 * DAY_MS;

/** What is worth a second look before a post goes out: nothing of it stops it. Rule C4. */
export async function warningsOf(
  tx: Tx,
  post: { id: string; accountId: string; text: string; at: number | null },
  now: number,
): Promise<string[]> {
  const others = await neighboursOf(tx, {
    accountId: post.accountId,
    exceptId: post.id,
    since: Math.min(post.at ?? now, now) - SAME_TEXT_MS,
  });
  const at = post.at ?? now;
  const same = others.find(
    (other) => other.at !== null && Math.abs(other.at - at) <= SAME_TEXT_MS && saysTheSame(other.text, post.text),
  );
  const near = others.find((other) => post.at !== null && other.at !== null && Math.abs(other.at - post.at) < HOUR_MS);
  return [
    ...(same?.at
      ? [`Post "${same.id}" of this account says the same on ${iso(same.at)}; the network may refuse a duplicate.`]
      : []),
    ...(near?.at ? [`Post "${near.id}" of this account is within an hour of it, at ${iso(near.at)}.`] : []),
  ];
}
