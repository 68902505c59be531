import { z } from 'zod';
import { apollo } from './apollo.ts';
import type { EnrichmentDesk } from './ask-about.ts';
import type { EnrichmentEndpoint } from './ask-enrichment.ts';
import { dropcontact } from './dropcontact.ts';
import type { EnrichmentProvider } from './enrichment-provider.ts';
import { hunter } from './hunter.ts';
import { CHECKS_WITHOUT_DNS, mailChecks } from './mail-checks.ts';
import { peopleDataLabs } from './people-data-labs.ts';

/** Addresses and keys of those who enrich, in the environment. */
export const enrichmentEnv = {
  ENRICHMENT_PDL_URL: z.url().optional(),
  ENRICHMENT_PDL_KEY: z.string().optional(),
  ENRICHMENT_APOLLO_URL: z.url().optional(),
  ENRICHMENT_APOLLO_KEY: z.string().optional(),
  ENRICHMENT_DROPCONTACT_URL: z.url().optional(),
  ENRICHMENT_DROPCONTACT_KEY: z.string().optional(),
  ENRICHMENT_HUNTER_URL: z.url().optional(),
  ENRICHMENT_HUNTER_KEY: z.string().optional(),
};
export interface EnrichmentSettings extends z.output<z.ZodObject<typeof enrichmentEnv>> {
  /** Address of the sandbox: no name server knows the domains of its people. */
  SANDBOX_URL?: string | undefined;
}

type Vendor = 'PDL' | 'APOLLO' | 'DROPCONTACT' | 'HUNTER';
/** In the order in which they are asked: who answers at once and tells most stands first. */
const VENDORS: readonly [Vendor, string, (endpoint: EnrichmentEndpoint) => EnrichmentProvider][] = [
  ['PDL', 'https://api.peopledatalabs.com', peopleDataLabs],
  ['APOLLO', 'https://api.apollo.io', apollo],
  ['DROPCONTACT', 'https://api.dropcontact.com', dropcontact],
  ['HUNTER', 'https://api.hunter.io', hunter],
];

/** Nobody can be asked. */
export const NO_ENRICHMENT = `no enrichment provider is configured (${VENDORS.map(([name]) => `ENRICHMENT_${name}_KEY`).join(', ')})`;

/** Providers that a workspace may connect with its own key, by their names. */
export const ENRICHMENT_VENDORS: ReadonlyMap<
  string,
  { home: string; open(endpoint: EnrichmentEndpoint): EnrichmentProvider }
> = new Map(VENDORS.map(([, home, open]) => [open({ url: home, apiKey: '' }).name, { home, open }] as const));

/** The providers whose keys are set, none without any. */
export function chooseEnrichment(settings: EnrichmentSettings): EnrichmentDesk {
  const providers = VENDORS.flatMap(([name, home, open]) => {
    const apiKey = settings[`ENRICHMENT_${name}_KEY`];
    return apiKey ? [open({ url: settings[`ENRICHMENT_${name}_URL`] ?? home, apiKey })] : [];
  });
  return { providers, checks: settings.SANDBOX_URL ? CHECKS_WITHOUT_DNS : mailChecks() };
}
