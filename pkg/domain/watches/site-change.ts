/** What is known of a site. `hash`: what it says; `pending`: another text that it showed at the last look; `changing`: looks in a row that showed something new. */
export interface SiteState {
  hash: string;
  length: number;
  pending: string | null;
  changing: number;
}

/** Looks in a row at each of which a page says something else, after which a watch calls it always changing. */
export const ALWAYS_CHANGING = 5;
/** A page with less than this share of its usual text was not read whole. */
const LEAST_SHARE = 0.3;

/** What a look at a site means: `partial`: it was not read whole, nothing is known of it. */
export type SiteVerdict = { kind: 'baseline' | 'same' | 'waits' | 'changed'; state: SiteState } | { kind: 'partial' };

/**
 * Compares a look at a site with what is known. A change counts when two looks in a row show the same other text: what shows once only is
 * a fault, a test or an advertisement. A page that never says the same twice never changed.
 */
export function judgeSite(known: SiteState | null, seen: { hash: string; length: number }): SiteVerdict {
  if (seen.length === 0) return { kind: 'partial' };
  if (known === null) return { kind: 'baseline', state: { ...seen, pending: null, changing: 0 } };
  if (seen.length < known.length * LEAST_SHARE && seen.hash !== known.pending) {
    // Twice the same short text is what the site says now.
    return { kind: 'waits', state: { ...known, pending: seen.hash } };
  }
  if (seen.hash === known.hash) return { kind: 'same', state: { ...known, pending: null, changing: 0 } };
  if (seen.hash === known.pending) return { kind: 'changed', state: { ...seen, pending: null, changing: 0 } };
  return { kind: 'waits', state: { ...known, pending: seen.hash, changing: known.changing + 1 } };
}

/** Whether the page says something else at every look. */
export function isAlwaysChanging(state: SiteState | null): boolean {
  return (state?.changing ?? 0) >= ALWAYS_CHANGING;
}
