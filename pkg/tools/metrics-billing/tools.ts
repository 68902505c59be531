import { getCreditBalance } from './get-credit-balance.ts';
import { getCreditCosts } from './get-credit-costs.ts';
import { getWorkspaceMetrics } from './get-workspace-metrics.ts';
import { listCreditTransactions } from './list-credit-transactions.ts';

export const metricsBillingTools = [getCreditBalance, listCreditTransactions, getCreditCosts, getWorkspaceMetrics];
