import { normalPost } from './same-post.ts';

/** Longest post and first comment, UTF-16 units, as the network counts. Source: catalog svc_create_content_post. */
export const MAX_POST = 3_000;
export const MAX_FIRST_COMMENT = 1_250;
/** Units of a post that others see before they ask for more, and its lines. */
const FOLD_UNITS = 210;
const FOLD_LINES = 3;

const LINK = /https?:\/\/[^\s<>"']+/gi;

/** What others will see of a post. */
export interface PostPreview {
  /** UTF-16 units, as the network counts: an emoji is two or more. */
  length: number;
  limit: number;
  /** What stands above the fold. */
  firstLines: string;
  /** Whether others have to ask for the rest. */
  seeMore: boolean;
  /** The address that the network makes a card of; null: there is none, or media take its place. */
  linkCard: string | null;
  hashtags: string[];
  mentionsMedia: number;
}

/** @param media how many pictures and videos it has */
export function previewOf(text: string, media: number): PostPreview {
  const lines = text.split('\n').slice(0, FOLD_LINES).join('\n');
  const firstLines = wholeCharacters(lines, FOLD_UNITS).trimEnd();
  const [link] = text.match(LINK) ?? [];
  return {
    length: text.length,
    limit: MAX_POST,
    firstLines,
    seeMore: firstLines.length < text.trimEnd().length,
    linkCard: media > 0 || link === undefined ? null : link.replace(/[.,;:!?)\]]+$/, ''),
    hashtags: [...new Set(text.match(/(?<![\p{L}\p{N}_])#[\p{L}\p{N}_]+/gu) ?? [])],
    mentionsMedia: media,
  };
}

/** At most so many units, without a half of a character at the end. */
function wholeCharacters(text: string, units: number): string {
  if (text.length <= units) return text;
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    if (index + segment.length > units) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** Whether two posts say the same, however they are written. */
export function saysTheSame(one: string, other: string): boolean {
  return normalPost(one).toLowerCase() === normalPost(other).toLowerCase();
}
