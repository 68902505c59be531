import { getNetworkAccount } from './get-network-account.ts';
import { getNetworkAccountBudgets } from './get-network-account-budgets.ts';
import { listNetworkAccounts } from './list-network-accounts.ts';

export const networkAccountTools = [listNetworkAccounts, getNetworkAccount, getNetworkAccountBudgets];
