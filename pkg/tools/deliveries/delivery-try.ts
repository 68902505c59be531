import { z } from 'zod';
import { monotonicMs, NEVER } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { isThisMachine } from '../../base/this-machine.ts';
import { WEBHOOK_RETRIES_MS, webhookRetryAt } from '../../domain/webhook-retries.ts';
import { validSecrets } from '../../domain/webhook-secrets.ts';
import { chatText } from '../../events/chat-text.ts';
import { type ToldFrom, tellEvent } from '../../events/tell-event.ts';
import type { Tx } from '../../postgres/database.ts';
import { CallError } from '../../providers/call-error.ts';
import { deliverChat } from '../../providers/webhook/deliver-chat.ts';
import { deliverWebhook } from '../../providers/webhook/deliver-webhook.ts';
import type { DueEndpoint } from '../../store/deliveries/due-endpoints.ts';
import { endFollowing } from '../../store/deliveries/end-following.ts';
import { lostReason, mayRead } from '../../store/deliveries/followers.ts';
import type { LeasedDelivery } from '../../store/deliveries/lease-deliveries.ts';
import { pauseEndpoint } from '../../store/deliveries/pause-endpoint.ts';
import {
  bringForward,
  holdEndpoint,
  settleDelivered,
  settleDropped,
  settleFailed,
  type Tried,
} from '../../store/deliveries/settle-delivery.ts';
import type { DeliveryWorkerDeps } from './delivery-deps.ts';
import { Shares } from './shares.ts';

/** Real ms for the whole answer. Source: catalog `webhook.delivery`. */
const TIMEOUT_MS = 10_000;
/** Product ms between messages to a chat: Slack takes about one a second. */
const CHAT_GAP_MS = 1_000;
/** Product ms until a dead endpoint is tried again. */
const DEAD_GAP_MS = 60_000;
/** Product ms after which nothing is asked again though the other side only says that it is too much. */
const PATIENCE_MS = 3 * 86_400_000;
const MINUTE_MS = 60_000;

const credentialsSchema = z.record(z.string(), z.string());

interface TryDeps extends DeliveryWorkerDeps {
  holder: string;
  rehearsal: boolean;
}

/** Tries of deliveries of one endpoint. */
export class DeliveryTry {
  readonly #deps: TryDeps;
  readonly #endpoint: DueEndpoint;

  constructor(deps: TryDeps, endpoint: DueEndpoint) {
    this.#deps = deps;
    this.#endpoint = endpoint;
  }

  /** Sends once and keeps what became of it. Never throws: what could not be kept is tried again once its lease is over. */
  async run(delivery: LeasedDelivery): Promise<void> {
    try {
      const unwanted = whyUnwanted(delivery);
      if (unwanted !== undefined) await this.#drop(delivery, unwanted);
      else if (delivery.event !== null) await this.#send(delivery, delivery.event);
    } catch (error) {
      const { id } = this.#endpoint;
      this.#deps.log.warn(
        { deliveryId: delivery.id, integrationId: id, err: messageOf(error) },
        'what became of a delivery could not be kept; it is sent again',
      );
    }
  }

  async #send(delivery: LeasedDelivery, event: ToldFrom): Promise<void> {
    const { metrics } = this.#deps;
    const { kind } = this.#endpoint;
    const startedAt = monotonicMs();
    try {
      await this.#deliver(delivery, event);
    } catch (error) {
      return await this.#failed(delivery, error);
    } finally {
      metrics.duration.observe({ channel: kind }, (monotonicMs() - startedAt) / 1_000);
    }
    await this.#delivered(delivery);
  }

  async #deliver({ id }: LeasedDelivery, event: ToldFrom): Promise<void> {
    const { connections, clocks, rehearsal } = this.#deps;
    const credentials = this.#credentials();
    const url = credentials['url'] ?? this.#endpoint.url;
    // A rehearsal reaches the machine that it runs on, and nobody else.
    if (rehearsal && !isThisMachine(url)) {
      throw new CallError('busy', 'this installation is a rehearsal, which reaches nobody outside', undefined, true);
    }
    const told = tellEvent(event);
    const sentAt = clocks.real.now();
    const way = { url, timeoutMs: TIMEOUT_MS, reach: connections.reachOf(url), signal: NEVER };
    if (this.#endpoint.kind === 'chat') return await deliverChat({ ...way, text: chatText(told) });
    const secrets = validSecrets(credentials, sentAt);
    const body = JSON.stringify(told);
    await deliverWebhook({ ...way, event: told.kind, deliveryId: id, idempotencyKey: id, body, sentAt, secrets });
  }

  /** @throws CallError that names no credential */
  #credentials(): Record<string, string> {
    const { id, sealed } = this.#endpoint;
    if (!sealed) return {};
    try {
      return credentialsSchema.parse(JSON.parse(this.#deps.connections.sealer.open(sealed, `integration:${id}`)));
    } catch {
      throw new CallError('auth', `the secrets of ${id} do not open with this OUTRIDER_SECRETS_KEY`);
    }
  }

  async #delivered(delivery: LeasedDelivery): Promise<void> {
    const { id: integrationId, kind } = this.#endpoint;
    const tried = this.#tried(delivery);
    await this.#platform(async (tx) => {
      const hold = kind === 'chat' ? tried.now + CHAT_GAP_MS : null;
      const own = await settleDelivered(tx, tried, hold);
      if (own && Shares.isDead(this.#endpoint)) {
        await bringForward(tx, integrationId, tried.now, WEBHOOK_RETRIES_MS.length);
      }
    });
    this.#deps.metrics.tries.inc({ channel: kind, result: 'delivered' });
  }

  async #failed(delivery: LeasedDelivery, error: unknown): Promise<void> {
    const { id: integrationId, kind } = this.#endpoint;
    const tried = this.#tried(delivery);
    const { now } = tried;
    const text = messageOf(error);
    const { tooMany = false, gone = false, retryAfterMs: asked } = error instanceof CallError ? error : {};
    const counts = !tooMany || now - delivery.createdAt > PATIENCE_MS;
    const planned = counts
      ? webhookRetryAt(delivery.attempts + 1, delivery.id, now, asked)
      : now + Math.max(asked ?? 0, MINUTE_MS);
    const retryAt = gone ? undefined : planned;
    const holdUntil = asked === undefined ? null : now + asked;
    await this.#platform(async (tx) => {
      const failures = await settleFailed(tx, tried, { error: text, retryAt, counts, holdUntil });
      if (failures === undefined) return;
      if (retryAt === undefined) await pauseEndpoint(tx, { integrationId, reason: text, now });
      else if (Shares.isDead({ failuresInRow: failures })) await holdEndpoint(tx, integrationId, now + DEAD_GAP_MS);
    });
    this.#deps.metrics.tries.inc({ channel: kind, result: retryAt === undefined ? 'failed' : 'retried' });
  }

  async #drop(delivery: LeasedDelivery, reason: string): Promise<void> {
    const { id: integrationId, workspaceId, kind } = this.#endpoint;
    const tried = this.#tried(delivery);
    await this.#platform(async (tx) => {
      await settleDropped(tx, tried, reason);
      if (delivery.events.includes(delivery.kind) && !mayRead(delivery.scopes, delivery.kind)) {
        await endFollowing(tx, { integrationId, workspaceId, kinds: [delivery.kind], reason, now: tried.now });
      }
    });
    this.#deps.metrics.tries.inc({ channel: kind, result: 'dropped' });
  }

  #tried({ id }: LeasedDelivery): Tried {
    const { holder, clocks } = this.#deps;
    return { id, integrationId: this.#endpoint.id, holder, now: clocks.product.now() };
  }

  #platform<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#deps.db.tx({ kind: 'platform' }, work);
  }
}

/** Why nobody gets a delivery any more; undefined: it is sent. */
function whyUnwanted({ kind, events, scopes, event }: LeasedDelivery): string | undefined {
  if (!events.includes(kind)) return `${kind} is not followed any more`;
  if (!mayRead(scopes, kind)) return lostReason([kind]);
  return event === null ? 'the event is older than what is kept' : undefined;
}
