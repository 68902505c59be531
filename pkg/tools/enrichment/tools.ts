import { enrichCompany } from './enrich-company.ts';
import { enrichLeads } from './enrich-leads.ts';
import { getEnrichmentStatus } from './get-enrichment-status.ts';

export const enrichmentTools = [enrichLeads, enrichCompany, getEnrichmentStatus];
