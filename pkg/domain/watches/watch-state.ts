import type { SiteState } from './site-change.ts';

/** Kinds of what a watch of a competitor finds. Source: catalog svc_create_competitor_watch. */
export const FINDING_KINDS = ['post', 'engager', 'hire', 'funding', 'site_change', 'headcount'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Those that are read from the page on the network, and from the site. No source tells of funding. */
export const PAGE_KINDS: readonly FindingKind[] = ['post', 'engager', 'hire', 'headcount'];
export const SITE_KINDS: readonly FindingKind[] = ['site_change'];

export const CADENCES = ['hourly', 'daily', 'weekly'] as const;
export type Cadence = (typeof CADENCES)[number];

const HOUR_MS = 3_600_000;
/** Product ms between two checks. */
export const CADENCE_MS: Readonly<Record<Cadence, number>> = {
  hourly: HOUR_MS,
  daily: 24 * HOUR_MS,
  weekly: 7 * 24 * HOUR_MS,
};

/** What the last check of a watch showed, with which the next compares. */
export interface WatchState {
  /** Streams that have been looked at once: what they show from then on is new. */
  begun?: Partial<Record<'posts' | 'people', boolean>>;
  headcount?: number;
  site?: SiteState;
  /** The last list that was not read to what is known: times of what was read last and of what was known, epoch ms. */
  gap?: { from: number; to: number } | null;
  /** What the last check came to, for people. */
  last?: { at: number; found: number; baseline: number; excluded: number; notes: readonly string[] };
}

/** Times of a post that count: what is older when it is first seen was there before, however it comes back. */
export const OLDEST_NEWS_MS = 90 * 24 * HOUR_MS;

/** A change of the number of people that is worth telling: a tenth, and five at least. */
export function isGrowth(before: number, now: number): boolean {
  return Math.abs(now - before) >= Math.max(5, before / 10);
}
