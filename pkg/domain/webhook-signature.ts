import { createHmac } from 'node:crypto';

/**
 * `v1=hex(HMAC-SHA256(secret, timestamp + "." + body))`, of each secret that is valid, newest first, with commas between. Source: catalog
 * `webhook.headers`. @param timestamp seconds since 1970, UTC
 */
export function webhookSignature(secrets: readonly string[], timestamp: number, body: string): string {
  return secrets
    .map((secret) => `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`)
    .join(',');
}

/** What secrets begin with that say of themselves that they are base64. */
export const STANDARD_SECRET_PREFIX = 'whsec_';

/**
 * The header `webhook-signature`: `v1,base64(HMAC-SHA256(key, id + "." + timestamp + "." + body))`, of each secret that is valid, with
 * spaces between. The key is what the base64 of the secret says, as libraries take it. Source: Standard Webhooks, "Signature scheme".
 * @param timestamp seconds since 1970, UTC
 */
export function standardSignature(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
