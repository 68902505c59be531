import type { EventKind } from '../../domain/event-kinds.ts';
import { standardSignature, webhookSignature } from '../../domain/webhook-signature.ts';
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
  /** It is signed with each, newest first; none: unsigned. */
  secrets: readonly string[];
  timeoutMs: number;
  reach: OutsideRequest['reach'];
  signal: AbortSignal;
  deadlineMonotonicMs?: number | undefined;
}

/**
 * Delivers once, with the catalog's headers and beside them those of Standard Webhooks, so that receivers can use a library. Source:
 * catalog `webhook`; Standard Webhooks, "Webhook headers". @returns the 2xx answer @throws CallError; `gone`: the receiver wants no more
 */
export async function deliverWebhook(delivery: WebhookDelivery): Promise<OutsideAnswer> {
  const call: OutsideRequest = {
    method: 'POST',
    url: delivery.url,
    headers: headersOf(delivery),
    body: delivery.body,
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
  throw notTaken(call, answer);
}

function headersOf({ event, deliveryId, idempotencyKey, body, sentAt, secrets }: WebhookDelivery) {
  const timestamp = Math.floor(sentAt / 1_000);
  const signatures = {
    'x-svc-signature': webhookSignature(secrets, timestamp, body),
    'webhook-signature': standardSignature(secrets, deliveryId, timestamp, body),
  };
  return {
    'content-type': 'application/json',
    'x-svc-event': event,
    'x-svc-delivery': deliveryId,
    'x-svc-timestamp': String(timestamp),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'idempotency-key': idempotencyKey,
    ...(secrets.length === 0 ? {} : signatures),
  };
}

/** What an answer other than 2xx says of a delivery, to a webhook or to a chat. */
export function notTaken(
  call: OutsideRequest,
  answer: OutsideAnswer & { retryAfterMs?: number | undefined },
): CallError {
  const refusal = refusalOf(call, answer);
  // A receiver that is just being replaced, or its proxy, says 404 and the like: only one that is gone for good says so.
  if (refusal.kind !== 'refused') return refusal;
  if (answer.status === GONE) return new CallError('refused', refusal.message, undefined, false, true);
  const moved = answer.status < 400 ? '; redirects are not followed, connect the address that it leads to' : '';
  return new CallError('busy', refusal.message + moved, answer.retryAfterMs);
}
