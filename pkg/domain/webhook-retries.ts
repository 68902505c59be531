import { seededJitter } from './random.ts';

const MINUTE_MS = 60_000;

/** Waits between tries of a webhook, product time. Source: catalog `webhook.delivery`. */
export const WEBHOOK_RETRIES_MS: readonly number[] = [1, 5, 30, 120, 720, 1_440].map((minutes) => minutes * MINUTE_MS);

/**
 * When a delivery is tried again.
 * @param tries that failed, this one included
 * @param askedMs how long the other side asked to be left alone
 * @returns epoch ms, up to a quarter of the wait later than the plan, so that what failed together does not come back together;
 *   undefined when there is no further try
 */
export function webhookRetryAt(tries: number, seed: string, now: number, askedMs = 0): number | undefined {
  const wait = WEBHOOK_RETRIES_MS[tries - 1];
  return wait === undefined ? undefined : now + Math.max(wait + seededJitter(wait / 4, seed, tries), askedMs);
}
