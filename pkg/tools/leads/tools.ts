import { buildSearchUrl } from './build-search-url.ts';
import { eraseLead } from './erase-lead.ts';
import { getLead } from './get-lead.ts';
import { importLeadsCsv } from './import-leads-csv.ts';
import { queueLeads } from './queue-leads.ts';
import { searchLeads } from './search-leads.ts';
import { upsertLead } from './upsert-lead.ts';

export const leadTools = [searchLeads, getLead, importLeadsCsv, queueLeads, upsertLead, eraseLead, buildSearchUrl];
