import { SystemClock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { usableText } from '../../base/usable-text.ts';
import { validSecrets } from '../../domain/webhook-secrets.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import { deliverWebhook } from '../../providers/webhook/deliver-webhook.ts';
import { integrationAccess } from './access.ts';
import type { Performer } from './performer.ts';

/** Characters of an answer that the timeline keeps. */
const KEPT = 2_000;
const EVENT = 'run.step_done';

/** Delivers to a webhook, signed with its secret; the delivery id and the key are the same for every try. */
export const performWebhook: Performer = async (deps, call) => {
  const ask = call.ask as Extract<CallAsk, { call: 'webhook' }>;
  const target = ask.integrationId
    ? await integrationAccess(deps, ask.integrationId)
    : { row: { url: ask.url ?? '' }, credentials: {} as Record<string, string> };
  return {
    ...(ask.integrationId ? { integrationId: ask.integrationId } : {}),
    async perform({ signal, deadlineMonotonicMs, sequence }) {
      const occurredAt = new Date(deps.clock.now()).toISOString();
      const { workspaceId } = deps;
      const sentAt = new SystemClock().now();
      const envelope = { id: call.callId, kind: EVENT, occurredAt, workspaceId, sequence, data: ask.data };
      const answer = await deliverWebhook({
        url: target.row.url,
        event: EVENT,
        deliveryId: call.callId,
        idempotencyKey: ask.idempotencyKey,
        body: JSON.stringify(ask.body ?? envelope),
        // Receivers compare the timestamp with their own clock.
        sentAt,
        secrets: validSecrets(target.credentials, sentAt),
        timeoutMs: ask.timeoutMs,
        reach: deps.outside.reachOf(target.row.url),
        signal,
        deadlineMonotonicMs,
      });
      const data: JsonObject = { status: answer.status };
      if (ask.keepResponse) data['response'] = usableText(answer.text, KEPT);
      return { outcome: 'done', data };
    },
  };
};
