/** For how long (real time) the secret before the newest is valid as well: receivers change theirs meanwhile. */
export const OLD_SECRET_MS = 24 * 3_600_000;

/** What is stored of a webhook, sealed: `signingSecret`, and after a rotation `oldSecret` with `oldSecretUntil` (epoch ms, real time). */
export type WebhookCredentials = Readonly<Record<string, string>>;

/** The secrets that a delivery is signed with, newest first. @param now epoch ms, real time; before it no old one is valid */
export function validSecrets({ signingSecret, oldSecret, oldSecretUntil }: WebhookCredentials, now: number): string[] {
  const old = oldSecret !== undefined && Number(oldSecretUntil) > now ? [oldSecret] : [];
  return signingSecret === undefined ? [] : [signingSecret, ...old];
}

/** The credentials with another secret; what was the newest one is valid for a day more. @param now epoch ms, real time */
export function rotateSecret(
  { signingSecret }: WebhookCredentials,
  secret: string,
  now: number,
): Record<string, string> {
  if (signingSecret === undefined) return { signingSecret: secret };
  return { signingSecret: secret, oldSecret: signingSecret, oldSecretUntil: String(now + OLD_SECRET_MS) };
}
