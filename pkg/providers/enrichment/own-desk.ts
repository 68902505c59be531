import { z } from 'zod';
import type { Sealer } from '../../base/sealer.ts';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import type { EnrichmentDesk } from './ask-about.ts';
import { ENRICHMENT_VENDORS } from './choose-enrichment.ts';
import type { EnrichmentProvider } from './enrichment-provider.ts';

/** A provider that a workspace connected, as it is stored. */
export interface OwnProvider {
  id: string;
  provider: string;
  url: string;
  sealed: Buffer | null;
}

/** What opens stored credentials, and where addresses that workspaces gave may lead. */
export interface OpensProviders {
  sealer: Sealer | undefined;
  reachOf(url: string): 'public' | 'any';
}

const credentialsSchema = z.object({ token: z.string() });

/**
 * Who is asked for a workspace: those that it connected, in the order in which it did, then the platform's that it did not connect
 * itself. One whose credentials do not open is left out, and the platform's of that name too: the workspace chose who pays.
 */
export function ownDesk(platform: EnrichmentDesk, own: readonly OwnProvider[], opens: OpensProviders): EnrichmentDesk {
  if (own.length === 0) return platform;
  const names = new Set(own.map(({ provider }) => provider));
  const opened = own.flatMap((one) => {
    const token = tokenOf(one, opens);
    const provider = token === null ? undefined : openProvider(one.provider, { url: one.url, token }, opens.reachOf);
    return provider ? [provider] : [];
  });
  const others = platform.providers.filter(({ name }) => !names.has(name));
  return { ...platform, providers: [...opened, ...others], own: names };
}

/** Nobody, who is asked for to see whether a key opens: what is not found costs nothing at any of them. */
const NOBODY: OutsideContact = {
  leadId: '',
  firstName: 'Outrider',
  lastName: 'Connection-Check',
  fullName: 'Outrider Connection-Check',
  title: '',
  company: 'Outrider connection check',
  email: null,
  profileUrl: '',
  country: '',
};

/** Asks the provider about nobody, so that a key that opens nothing is refused before it is stored. @throws CallError */
export async function checkOwnProvider(
  name: string,
  credentials: { url: string; token: string },
  { reachOf, signal }: { reachOf: OpensProviders['reachOf']; signal: AbortSignal },
): Promise<void> {
  const provider = openProvider(name, credentials, reachOf);
  await provider?.find(NOBODY, [provider.fields[0] ?? 'email'], { signal, last: true });
}

function openProvider(
  name: string,
  { url, token }: { url: string; token: string },
  reachOf: OpensProviders['reachOf'],
): EnrichmentProvider | undefined {
  const vendor = ENRICHMENT_VENDORS.get(name);
  const address = url || (vendor?.home ?? '');
  return vendor?.open({ url: address, apiKey: token, reach: reachOf(address) });
}

function tokenOf({ id, sealed }: OwnProvider, { sealer }: OpensProviders): string | null {
  if (!sealed || !sealer) return null;
  try {
    return credentialsSchema.parse(JSON.parse(sealer.open(sealed, `integration:${id}`))).token;
  } catch {
    return null;
  }
}
