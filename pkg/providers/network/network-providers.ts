import type { NetworkProvider } from './network-provider.ts';
import { UnipileAdapter } from './unipile-adapter.ts';

/** Chooses the adapter by the account's provider (`sandbox`, `unipile`); undefined: not configured in this process. */
export type NetworkProviders = (provider: string) => NetworkProvider | undefined;

/** Address and key of one Unipile-compatible server. */
export interface ProviderEndpoint {
  /** For example `https://api1.unipile.com:13111`, without `/api/v1`. */
  url: string;
  apiKey: string;
}

export interface NetworkSettings {
  sandbox?: ProviderEndpoint | undefined;
  unipile?: ProviderEndpoint | undefined;
}

/** The sandbox answers on this machine; the network's lists lag by minutes (design, section 7). */
const SANDBOX_LIMITS = { timeoutMs: 5_000, settleAfterMs: 2_000 };
const UNIPILE_LIMITS = { timeoutMs: 30_000, settleAfterMs: 15 * 60_000 };

/** The adapters of this process; one wire format, so one adapter, with limits per server. */
export function createNetworkProviders(settings: NetworkSettings): NetworkProviders {
  const adapters = new Map<string, NetworkProvider>();
  if (settings.sandbox) adapters.set('sandbox', new UnipileAdapter({ ...settings.sandbox, ...SANDBOX_LIMITS }));
  if (settings.unipile) adapters.set('unipile', new UnipileAdapter({ ...settings.unipile, ...UNIPILE_LIMITS }));
  return (provider) => adapters.get(provider);
}
