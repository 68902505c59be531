import { connectIntegration } from './connect-integration.ts';
import { disconnectIntegration } from './disconnect-integration.ts';
import { getImportProgress } from './get-import-progress.ts';
import { listIntegrations } from './list-integrations.ts';

export const integrationTools = [listIntegrations, connectIntegration, disconnectIntegration, getImportProgress];
