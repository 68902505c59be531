import type { ReviewMode } from './vocabulary.ts';

/**
 * What holds where a campaign says nothing, beside its contact policy (contact-policy.ts), its hours (business-hours.ts)
 * and what signals add (signal-score.ts).
 */

/** Total score that a lead needs to enter through the pool; `make generate` writes app.score_min. Source: catalog `defaults.score`. */
export const SCORE_MIN = 50;

/** Which texts a person must approve before they are sent. Source: catalog parameter `reviewMode`. */
export const DEFAULT_REVIEW_MODE: ReviewMode = 'off';
