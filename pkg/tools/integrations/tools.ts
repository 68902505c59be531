import { connectIntegration } from './connect-integration.ts';
import { disconnectIntegration } from './disconnect-integration.ts';
import { getImportProgress } from './get-import-progress.ts';
import { importProviderList } from './import-provider-list.ts';
import { listIntegrations } from './list-integrations.ts';
import { listProviderLists } from './list-provider-lists.ts';
import { listWebhookTemplates } from './list-webhook-templates.ts';

export const integrationTools = [
  listIntegrations,
  listWebhookTemplates,
  connectIntegration,
  disconnectIntegration,
  listProviderLists,
  importProviderList,
  getImportProgress,
];
