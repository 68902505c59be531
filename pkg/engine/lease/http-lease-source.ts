import { readFile } from 'node:fs/promises';
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

const TIMEOUT_MS = 5_000;

export interface HttpLeaseSourceOptions {
  /** Base URL of the operator's claim endpoint, for example `http://outrider-claims.outrider:9091`. */
  url: string;
  /** File of the pod-bound token, which the kubelet renews: it is read for each question. */
  tokenFile: string;
  fetch?: typeof fetch;
}

/** Claims in a cluster: the operator hands them out in exchange for the pod's projected token. */
export class HttpLeaseSource implements PoolSource {
  readonly #options: HttpLeaseSourceOptions;
  /** Never called here: nobody can reach a pod from outside; polling finds everything. */
  onWake: LeaseSource['onWake'] = () => undefined;

  constructor(options: HttpLeaseSourceOptions) {
    this.#options = options;
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

  /** Null when the endpoint refuses or is away for a moment: callers ask again. */
  async #ask(question: object): Promise<unknown> {
    const { url, tokenFile, fetch: request = fetch } = this.#options;
    const token = (await readFile(tokenFile, 'utf8')).trim();
    try {
      const response = await request(new URL('/claims', url), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(question),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    }
  }
}
