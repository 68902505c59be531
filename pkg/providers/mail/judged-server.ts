import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { NEVER, withDeadline } from '../../base/clock.ts';
import { ProviderError } from '../network/network-provider.ts';
import { isPublicAddress } from '../public-address.ts';
import type { MailServer } from './mail-provider.ts';

/** Real ms for the resolution of a name. */
const LOOKUP_MS = 8_000;
const RETRY_MS = 5 * 60_000;

/** Where a connection goes, and the name that the server's certificate has to prove; undefined: it is an address. */
export interface JudgedServer {
  host: string;
  servername?: string;
}

/**
 * Resolves a server that a workspace chose, each time that it is connected to: what is connected is what was judged, whatever its name
 * leads to a moment later. One that the operator of the installation chose may lie anywhere.
 * @throws ProviderError for a name that leads nowhere, or has an address that is not public
 */
export async function judgedServer({ host, reach }: MailServer, signal: AbortSignal = NEVER): Promise<JudgedServer> {
  if (reach !== 'public') return { host };
  const found = isIP(host) === 0 ? await addressesOf(host, signal) : [{ address: host, family: isIP(host) }];
  if (found.length === 0) throw unreachable(`${host} has no address`);
  if (found.some(({ address }) => !isPublicAddress(address))) throw unreachable(`${host} is not a public address`);
  // Not each machine has a way to addresses of version 6.
  const [first] = found.toSorted((a, b) => a.family - b.family);
  return { host: first?.address ?? '', ...(isIP(host) === 0 ? { servername: host } : {}) };
}

function addressesOf(host: string, parent: AbortSignal): Promise<{ address: string; family: number }[]> {
  return withDeadline(LOOKUP_MS, parent, (signal) => {
    const late = Promise.withResolvers<never>();
    const end = (): void => late.reject(unreachable(`the name ${host} is not resolved in time`));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    return Promise.race([lookup(host, { all: true }).catch(() => []), late.promise]);
  });
}

function unreachable(why: string): ProviderError {
  return new ProviderError('unavailable_before_send', why, RETRY_MS);
}
