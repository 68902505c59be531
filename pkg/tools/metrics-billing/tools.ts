import { getCreditBalance } from './get-credit-balance.ts';

export const metricsBillingTools = [getCreditBalance];
