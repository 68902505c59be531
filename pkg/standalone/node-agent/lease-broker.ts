import type { ChildProcess } from 'node:child_process';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type LeaseDesk, leaseRequest, type PodIdentity } from '../../store/leases/lease-desk.ts';

/**
 * Hands claim tokens to executor processes over their pipe; in a cluster the operator's claim endpoint does the same
 * in exchange for the pod's projected token. Each message carries an id that the answer repeats.
 */
export class LeaseBroker {
  readonly #desk: LeaseDesk;
  readonly #log: Logger;

  constructor(desk: LeaseDesk, log: Logger) {
    this.#desk = desk;
    this.#log = log;
  }

  /** Serves one child process until it ends. */
  attach(child: ChildProcess, identity: PodIdentity): void {
    child.on('message', (message: unknown) => {
      this.#answer(message, identity).then(
        (answer) => {
          if (answer && child.connected) child.send(answer, () => undefined);
        },
        (error: unknown) => {
          this.#log.warn({ reason: messageOf(error) }, 'claim request failed');
          if (child.connected) child.send(refusalOf(message), () => undefined);
        },
      );
    });
  }

  async #answer(message: unknown, identity: PodIdentity): Promise<object | undefined> {
    const { id, ...request } = (message ?? {}) as { id?: unknown };
    const parsed = leaseRequest.safeParse(request);
    if (!parsed.success || typeof id !== 'number') return undefined;
    return { ...(await this.#desk.answer(parsed.data, identity)), id };
  }
}

/** The asker must not wait for an answer that never comes. */
function refusalOf(message: unknown): object {
  const { id } = (message ?? {}) as { id?: unknown };
  return { type: 'refused', id };
}
