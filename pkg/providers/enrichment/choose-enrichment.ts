import type { EnrichmentProvider } from './enrichment-provider.ts';
import { hunter } from './hunter.ts';
import { joinEnrichment } from './join-enrichment.ts';
import { peopleDataLabs } from './people-data-labs.ts';

/** Settings of the enrichment, as they stand in the environment. */
export interface EnrichmentSettings {
  ENRICHMENT_PDL_URL?: string | undefined;
  ENRICHMENT_PDL_KEY?: string | undefined;
  ENRICHMENT_HUNTER_URL?: string | undefined;
  ENRICHMENT_HUNTER_KEY?: string | undefined;
}

const PDL_URL = 'https://api.peopledatalabs.com';
const HUNTER_URL = 'https://api.hunter.io';

/** The providers whose keys are set, as one; undefined without any. */
export function chooseEnrichment(settings: EnrichmentSettings): EnrichmentProvider | undefined {
  const { ENRICHMENT_PDL_KEY: pdlKey, ENRICHMENT_HUNTER_KEY: hunterKey } = settings;
  const providers = [
    ...(pdlKey ? [peopleDataLabs({ url: settings.ENRICHMENT_PDL_URL ?? PDL_URL, apiKey: pdlKey })] : []),
    ...(hunterKey ? [hunter({ url: settings.ENRICHMENT_HUNTER_URL ?? HUNTER_URL, apiKey: hunterKey })] : []),
  ];
  return providers.length === 0 ? undefined : joinEnrichment(providers);
}
