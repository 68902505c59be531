import { exportNetworkConnections } from './export-network-connections.ts';
import { getNetworkAccount } from './get-network-account.ts';
import { getNetworkAccountBudgets } from './get-network-account-budgets.ts';
import { getNetworkAccountHealth } from './get-network-account-health.ts';
import { listNetworkAccounts } from './list-network-accounts.ts';
import { updateNetworkAccountSettings } from './update-network-account-settings.ts';

export const networkAccountTools = [
  listNetworkAccounts,
  getNetworkAccount,
  getNetworkAccountHealth,
  getNetworkAccountBudgets,
  updateNetworkAccountSettings,
  exportNetworkConnections,
];
