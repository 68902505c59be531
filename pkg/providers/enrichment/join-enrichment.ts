import type { EnrichField } from '../../domain/enrich-fields.ts';
import { isForGood } from '../call-error.ts';
import type { Enrichment, EnrichmentProvider } from './enrichment-provider.ts';

/**
 * Several providers as one: each field is asked of the first that offers it, then of the next; found is found, also when another
 * refuses for good.
 */
export function joinEnrichment(providers: readonly EnrichmentProvider[]): EnrichmentProvider {
  return {
    name: providers.map((provider) => provider.name).join('+'),
    fields: [...new Set(providers.flatMap((provider) => provider.fields))],
    async find(contact, fields, options) {
      let known = contact;
      let found: Enrichment = {};
      for (const provider of providers) {
        const open = fields.filter((field) => provider.fields.includes(field) && !has(found, field));
        if (open.length === 0) continue;
        const more = await provider.find(known, open, options).catch((error: unknown) => {
          const something = fields.some((field) => has(found, field));
          if (something && (options.last || isForGood(error))) return {};
          throw error;
        });
        found = { ...found, ...more };
        known = { ...known, email: found.email ?? known.email };
      }
      return found;
    },
  };
}

/** Whether a field was answered. */
export function has(found: Enrichment, field: EnrichField): boolean {
  if (field === 'email_verification') return found.emailStatus !== undefined;
  return found[field] !== undefined;
}
