const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Hours that a draft waits for a person where the campaign says nothing. Source: catalog parameter `reviewExpiresAfterHours`. */
export const REVIEW_EXPIRES_AFTER_HOURS = 72;

/** When a draft expires that never does: the last day that ISO 8601 writes with four digits, epoch ms UTC. */
export const NEVER_EXPIRES = Date.UTC(9999, 11, 31);

/** Why a run ended whose draft nobody decided in time; svc_control_workflow_runs takes such a run up again. */
export const REVIEW_EXPIRED = 'the review expired';

/**
 * When a draft that is made now expires, epoch ms UTC: by its node's own length, else by its campaign's.
 * @param ownMs the node's own length; undefined: it has none
 * @param campaignHours hours; 0: it waits until a person decides
 */
export function reviewExpiresAt(now: number, ownMs: number | undefined, campaignHours: number): number {
  if (ownMs !== undefined) return now + ownMs;
  return campaignHours === 0 ? NEVER_EXPIRES : now + campaignHours * HOUR_MS;
}

/** When people are told that a draft will expire: a day before, and never in the first two thirds of its life; null: it never expires. */
export function warnsAt({ createdAt, expiresAt }: { createdAt: number; expiresAt: number }): number | null {
  if (expiresAt >= NEVER_EXPIRES) return null;
  return expiresAt - Math.min(DAY_MS, Math.floor((expiresAt - createdAt) / 3));
}
