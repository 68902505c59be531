import { sleepReal } from '../../base/clock.ts';
import {
  accountsOf,
  type DueAccounts,
  grantOf,
  type LeaseGrant,
  type LeaseKind,
  type LeaseSource,
  type PoolSource,
  type Seat,
  seatsOf,
} from './lease-source.ts';

/** The part of `process` that the pipe needs. */
export interface IpcChannel {
  send?: ((message: object) => unknown) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Claims through the parent's pipe (node IPC), as standalone hands them over:
 * `{type: 'claim', id, kind, key}` is answered by `{type: 'claimed', id, token, epoch}` or `{type: 'refused', id}`,
 * `{type: 'due-accounts', id, limit}` by `{type: 'accounts', id, accountIds, nextAt}`, `{type: 'seats', id}` by
 * `{type: 'seats', id, seats}`. `{type: 'wake', workspaceId}` comes unasked.
 */
export class PipeLeaseSource implements PoolSource {
  readonly #channel: IpcChannel;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  onWake: LeaseSource['onWake'] = () => undefined;
  #next = 1;

  constructor(channel: IpcChannel) {
    this.#channel = channel;
    channel.on('message', (message) => this.#receive(message));
  }

  async claim(kind: LeaseKind, key: string): Promise<LeaseGrant | null> {
    return grantOf(await this.#ask({ type: 'claim', kind, key }));
  }

  async dueAccounts(limit: number): Promise<DueAccounts> {
    return accountsOf(await this.#ask({ type: 'due-accounts', limit }));
  }

  async seats(): Promise<Seat[] | null> {
    return seatsOf(await this.#ask({ type: 'seats' }));
  }

  #ask(message: object): Promise<unknown> {
    const send = this.#channel.send;
    if (!send) throw new Error('no claim source: the process has no parent that hands out claims; set CLAIM_URL');
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve) => this.#waiting.set(id, resolve));
    send.call(this.#channel, { ...message, id });
    const late = sleepReal(ANSWER_TIMEOUT_MS).then(() => null);
    return Promise.race([answer, late]).finally(() => this.#waiting.delete(id));
  }

  #receive(message: unknown): void {
    const { type, id, workspaceId } = (message ?? {}) as Record<string, unknown>;
    if (type === 'wake') this.onWake(typeof workspaceId === 'string' ? workspaceId : undefined);
    if (typeof id === 'number') this.#waiting.get(id)?.(message);
  }
}
