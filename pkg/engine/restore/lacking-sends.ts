import type { Tx } from '../../postgres/database.ts';
import type { NetworkProvider } from '../../providers/network/network-provider.ts';
import { lackingTraces, publishes, type Trace } from '../../store/restore/restore-guard.ts';
import { type ReadOptions, readTraces, withPublicIds } from './provider-traces.ts';

/** An account as it is compared. */
export interface Compared {
  id: string;
  externalId: string;
  /** From when (epoch ms). */
  since: number;
}

/** What a provider shows of an account: the references of all, and what the ledger lacked when it was looked at. */
export interface ShownSends {
  refs: ReadonlySet<string>;
  lacking: Trace[];
}

/**
 * Reads what left through an account and keeps what the ledger does not know. Only people that it does not know are
 * looked up by their public ids: to most messages there is a send.
 * @param tx opens a transaction that sees the account's ledger
 * @throws ProviderError
 */
export async function readLackingSends(
  tx: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  provider: NetworkProvider,
  account: Compared,
  options: ReadOptions,
): Promise<ShownSends> {
  const ref = { externalId: account.externalId };
  const posts = await tx((at) => publishes(at, account.id));
  const traces = await readTraces(provider, ref, account.since, { ...options, posts });
  const lacking = await tx((at) => lackingTraces(at, account.id, traces));
  const known = lacking.filter((one) => one.personId).map((one) => one.trace);
  const unknown = lacking.filter((one) => !one.personId).map((one) => one.trace);
  const toSomebody = unknown.filter(({ kind }) => kind !== 'post');
  const named = await withPublicIds(provider, ref, toSomebody, options);
  const posted = unknown.filter(({ kind }) => kind === 'post');
  return { refs: new Set(traces.map((trace) => trace.ref)), lacking: [...known, ...named, ...posted] };
}
