import type { EventKind } from '../../domain/event-kinds.ts';
import { webhookSignature } from '../../domain/webhook-signature.ts';
import { CallError } from '../call-error.ts';
import { exchange, type OutsideAnswer, type OutsideRequest, refusalOf } from '../outside-http.ts';

const GONE = 410;

/** One try of a delivery. */
export interface WebhookDelivery {
  url: string;
  /** `ping`: the receiver is only tried. */
  event: EventKind | 'ping';
  /** Stable over tries. */
  deliveryId: string;
  idempotencyKey: string;
  body: string;
  /** Epoch ms real time: receivers refuse old timestamps. */
  sentAt: number;
  /** Null: unsigned. */
  secret: string | null;
  timeoutMs: number;
  reach: OutsideRequest['reach'];
  signal: AbortSignal;
  deadlineMonotonicMs?: number | undefined;
}

/** Delivers once. Source: catalog `webhook`. @returns the 2xx answer @throws CallError */
export async function deliverWebhook(delivery: WebhookDelivery): Promise<OutsideAnswer> {
  const { event, deliveryId, idempotencyKey, body, sentAt, secret } = delivery;
  const timestamp = Math.floor(sentAt / 1_000);
  const call: OutsideRequest = {
    method: 'POST',
    url: delivery.url,
    headers: {
      'content-type': 'application/json',
      'x-svc-event': event,
      'x-svc-delivery': deliveryId,
      'x-svc-timestamp': String(timestamp),
      'idempotency-key': idempotencyKey,
      ...(secret === null ? {} : { 'x-svc-signature': webhookSignature(secret, timestamp, body) }),
    },
    body,
    timeoutMs: delivery.timeoutMs,
    signal: delivery.signal,
    deadlineMonotonicMs: delivery.deadlineMonotonicMs,
    // The receiver knows the delivery by its id and its key.
    harmless: true,
    statusDecides: true,
    reach: delivery.reach,
  };
  const answer = await exchange(call);
  if (answer.status < 300) return answer;
  const refusal = refusalOf(call, answer);
  // A receiver that is just being replaced, or its proxy, says 404 and the like: only one that is gone for good says so.
  if (refusal.kind !== 'refused' || answer.status === GONE) throw refusal;
  throw new CallError('busy', refusal.message, answer.retryAfterMs);
}
