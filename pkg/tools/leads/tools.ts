import { getLead } from './get-lead.ts';
import { importLeadsCsv } from './import-leads-csv.ts';
import { searchLeads } from './search-leads.ts';

export const leadTools = [searchLeads, getLead, importLeadsCsv];
