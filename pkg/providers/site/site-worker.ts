import { answerInputs } from '../../base/foreign-bytes/parse-worker.ts';
import type { FeedItem, PageLine } from '../../domain/signals/source-item.ts';
import { isWall, plainText, siteLines } from '../../domain/watches/site-text.ts';
import { readFeed } from './read-feed.ts';

/** What a page says, and whether it is a wall in front of the site. */
export interface ReadPage {
  lines: PageLine[];
  wall: boolean;
}

/** The program of a worker that reads pages and feeds of sites. */
answerInputs((input: { html: string } | { feed: string }): ReadPage | FeedItem[] => {
  if ('feed' in input) return readFeed(input.feed);
  const lines = siteLines(input.html);
  return { lines, wall: isWall(input.html, plainText(lines)) };
});
