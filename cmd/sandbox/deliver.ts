import { messageOf } from '../../pkg/base/errors.ts';
import type { Logger } from '../../pkg/base/log.ts';
import type { Delivery } from './people.ts';
import { allWebhooks } from './webhook-bodies.ts';
import type { World } from './world.ts';

const TIMEOUT_MS = 2_000;
/** Deliveries under way at once; more are dropped, as a webhook is only a hint. */
const MAX_UNDER_WAY = 50;

/** Sends webhooks once each, best effort. */
export class Deliverer {
  readonly #world: World;
  readonly #log: Logger;
  readonly #stop: AbortSignal;
  #underWay = 0;

  constructor(world: World, log: Logger, stop: AbortSignal) {
    this.#world = world;
    this.#log = log;
    this.#stop = stop;
  }

  deliver(deliveries: readonly Delivery[]): void {
    if (deliveries.length === 0) return;
    const hooks = new Map(allWebhooks(this.#world).map((hook) => [hook.id, hook]));
    for (const { webhookId, body } of deliveries) {
      const hook = hooks.get(webhookId);
      if (!hook) continue;
      const headers = Object.fromEntries(hook.headers.map(({ key, value }) => [key, value]));
      void this.#post(hook.requestUrl, headers, body);
    }
  }

  async #post(url: string, headers: Record<string, string>, body: object): Promise<void> {
    if (this.#underWay >= MAX_UNDER_WAY || this.#stop.aborted) return;
    this.#underWay++;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
    } catch (error) {
      this.#log.debug({ reason: messageOf(error) }, 'a webhook was not delivered');
    } finally {
      this.#underWay--;
    }
  }
}
