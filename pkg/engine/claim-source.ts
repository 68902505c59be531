import { sleepReal } from '../base/clock.ts';

/** A handed-out claim; the token opens the database for this workspace or account. */
export interface ClaimGrant {
  token: string;
  epoch: number;
}

export type ClaimKind = 'workspace' | 'account';

/** Where an executor gets its claims from; null: somebody else holds it, or this process may not have it. */
export interface ClaimSource {
  claim(kind: ClaimKind, key: string): Promise<ClaimGrant | null>;
  /** Accounts whose sync is due (for the accounts role; others get none). */
  dueAccounts(limit: number): Promise<string[]>;
}

/** The part of `process` that the pipe needs. */
export interface IpcChannel {
  send?: ((message: object) => unknown) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Claims through the parent's pipe (node IPC), as standalone hands them over:
 * `{type: 'claim', id, kind, key}` is answered by `{type: 'claimed', id, token, epoch}` or `{type: 'refused', id}`,
 * `{type: 'due-accounts', id, limit}` by `{type: 'accounts', id, accountIds}`.
 */
export class PipeClaimSource implements ClaimSource {
  readonly #channel: IpcChannel;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  /** Called when the parent says that work was brought forward; a hint, never needed for correctness. */
  onWake: () => void = () => undefined;
  #next = 1;

  constructor(channel: IpcChannel) {
    this.#channel = channel;
    channel.on('message', (message) => this.#receive(message));
  }

  async claim(kind: ClaimKind, key: string): Promise<ClaimGrant | null> {
    const answer = await this.#ask({ type: 'claim', kind, key });
    return answer?.type === 'claimed' && typeof answer.token === 'string'
      ? { token: answer.token, epoch: Number(answer.epoch) }
      : null;
  }

  async dueAccounts(limit: number): Promise<string[]> {
    const answer = await this.#ask({ type: 'due-accounts', limit });
    return Array.isArray(answer?.accountIds) ? answer.accountIds.filter((id) => typeof id === 'string') : [];
  }

  #ask(message: object): Promise<Answer | null> {
    const send = this.#channel.send;
    if (!send) throw new Error('no claim source: the process has no parent that hands out claims');
    const id = this.#next++;
    const answer = new Promise<Answer | null>((resolve) => this.#waiting.set(id, resolve));
    send.call(this.#channel, { ...message, id });
    const late = sleepReal(ANSWER_TIMEOUT_MS).then(() => null);
    return Promise.race([answer, late]).finally(() => this.#waiting.delete(id));
  }

  #receive(message: unknown): void {
    const answer = (message ?? {}) as Answer;
    if (answer.type === 'wake') this.onWake();
    if (typeof answer.id === 'number') this.#waiting.get(answer.id)?.(answer);
  }
}

interface Answer {
  type?: unknown;
  id?: unknown;
  token?: unknown;
  epoch?: unknown;
  accountIds?: unknown;
}
