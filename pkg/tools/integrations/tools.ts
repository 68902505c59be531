import { connectIntegration } from './connect-integration.ts';
import { disconnectIntegration } from './disconnect-integration.ts';
import { getImportProgress } from './get-import-progress.ts';
import { listIntegrations } from './list-integrations.ts';
import { listWebhookTemplates } from './list-webhook-templates.ts';

export const integrationTools = [
  listIntegrations,
  listWebhookTemplates,
  connectIntegration,
  disconnectIntegration,
  getImportProgress,
];
