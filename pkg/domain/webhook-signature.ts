import { createHmac } from 'node:crypto';

/** `v1=hex(HMAC-SHA256(secret, timestamp + "." + body))`. Source: catalog `webhook.headers`. `timestamp` in seconds. */
export function webhookSignature(secret: string, timestamp: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
