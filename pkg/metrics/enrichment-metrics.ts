import { Counter, type Registry } from 'prom-client';

/** Answers of enrichment providers: of executors (nodes, automations) and of servers (jobs of tools). */
export type EnrichmentMetrics = ReturnType<typeof createEnrichmentMetrics>;

/** Declares them on a registry. */
export function createEnrichmentMetrics(registry: Registry) {
  return {
    enrichment: new Counter({
      name: 'outrider_enrichment_answers_total',
      help: 'What enrichment providers said of a field, by provider, field and outcome: found, not_found, invalid (no mail arrives there), mismatch (about somebody else), failed.',
      labelNames: ['provider', 'field', 'outcome'],
      registers: [registry],
    }),
  };
}
