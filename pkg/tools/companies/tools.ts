import { getCompany } from './get-company.ts';
import { listCompanyLeads } from './list-company-leads.ts';
import { searchCompanies } from './search-companies.ts';

export const companyTools = [searchCompanies, getCompany, listCompanyLeads];
