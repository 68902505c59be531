/** What one look at the DNS said; `unknown`: it did not answer, or nobody knows what to ask for. */
export type AuthSeen = 'pass' | 'fail' | 'unknown';

/** How a proof of a domain stands. */
export interface AuthStand {
  /** `unconfirmed`: it was seen failing once, and an hour has not passed: a change on its way looks the same. */
  state: 'pass' | 'failing' | 'unconfirmed' | 'unknown';
  /** When it was seen failing first (epoch ms), with nothing good since; null: it was not. */
  failedAt: number | null;
}

/** Two looks so far apart have to fail before a domain counts as failing. */
export const CONFIRM_AFTER_MS = 60 * 60_000;

/** How a proof stands after another look. A server that does not answer proves nothing, neither good nor bad. */
export function authAfter(before: AuthStand | undefined, seen: AuthSeen, now: number): AuthStand {
  const failedAt = before?.failedAt ?? null;
  switch (seen) {
    case 'pass':
      return { state: 'pass', failedAt: null };
    case 'unknown':
      return { state: 'unknown', failedAt };
    case 'fail': {
      const since = failedAt ?? now;
      return { state: now - since >= CONFIRM_AFTER_MS ? 'failing' : 'unconfirmed', failedAt: since };
    }
  }
}
