import { monotonicMs, sleepReal } from '../base/clock.ts';

/** A handed-out claim; the token opens the database for this workspace or account. */
export interface ClaimGrant {
  token: string;
  epoch: number;
}

export type ClaimKind = 'workspace' | 'account';

/** Where an executor gets its claims from; null: somebody else holds it, or this process may not have it. */
export interface ClaimSource {
  claim(kind: ClaimKind, key: string): Promise<ClaimGrant | null>;
}

/** The part of `process` that the pipe needs. */
export interface IpcChannel {
  send?: ((message: object) => unknown) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Claims through the parent's pipe (node IPC), as standalone hands them over:
 * `{type: 'claim', id, kind, key}` is answered by `{type: 'claimed', id, token, epoch}` or `{type: 'refused', id}`.
 */
export class PipeClaimSource implements ClaimSource {
  readonly #channel: IpcChannel;
  readonly #waiting = new Map<number, (grant: ClaimGrant | null) => void>();
  #next = Math.trunc(monotonicMs());

  constructor(channel: IpcChannel) {
    this.#channel = channel;
    channel.on('message', (message) => this.#receive(message));
  }

  async claim(kind: ClaimKind, key: string): Promise<ClaimGrant | null> {
    const send = this.#channel.send;
    if (!send) throw new Error('no claim source: the process has no parent that hands out claims');
    const id = this.#next++;
    const answer = new Promise<ClaimGrant | null>((resolve) => this.#waiting.set(id, resolve));
    send.call(this.#channel, { type: 'claim', id, kind, key });
    const late = sleepReal(ANSWER_TIMEOUT_MS).then(() => null);
    return Promise.race([answer, late]).finally(() => this.#waiting.delete(id));
  }

  #receive(message: unknown): void {
    const { type, id, token, epoch } = (message ?? {}) as {
      type?: unknown;
      id?: unknown;
      token?: unknown;
      epoch?: unknown;
    };
    const resolve = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (!resolve) return;
    if (type === 'claimed' && typeof token === 'string') resolve({ token, epoch: Number(epoch) });
    else if (type === 'refused') resolve(null);
  }
}
