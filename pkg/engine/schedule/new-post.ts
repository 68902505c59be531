import { DEFAULT_SIGNAL_WEIGHTS } from '../../domain/signal-score.ts';
import { naturalKey } from '../../domain/signals/natural-key.ts';
import type { FoundSignal } from '../../store/signals/keep-signals.ts';

/** How long a post counts, ms. */
export const NEW_POST_MS = DEFAULT_SIGNAL_WEIGHTS.new_post.windowDays * 86_400_000;
/** Characters of a post that are kept: as much as says what it is about. */
export const MOST_EXCERPT = 500;
export const MOST_TITLE = 120;

/**
 * The signal of a post for a person who wrote it or engaged with it.
 * @param post `at`: when that was, epoch ms, product time; titles and texts of any length
 */
export function newPost(post: {
  id: string;
  postId: string;
  leadId: string;
  title: string;
  text: string;
  url: string;
  at: number;
}): FoundSignal {
  const { id, postId, leadId, title, text, url, at } = post;
  return {
    id,
    key: naturalKey({ type: 'new_post', postId, personId: leadId }),
    type: 'new_post',
    leadId,
    companyId: null,
    title: title.slice(0, MOST_TITLE),
    occurredAt: at,
    expiresAt: at + NEW_POST_MS,
    evidence: [{ url, excerpt: text.slice(0, MOST_EXCERPT) }],
  };
}
