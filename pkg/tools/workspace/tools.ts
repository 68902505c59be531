import { createApiKeyTool } from './create-api-key.ts';
import { getPlaybook } from './get-playbook.ts';
import { getWorkspace } from './get-workspace.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listMembers } from './list-members.ts';
import { regeneratePlaybook } from './regenerate-playbook.ts';
import { revokeApiKey } from './revoke-api-key.ts';

export const workspaceTools = [
  getWorkspace,
  listMembers,
  listApiKeys,
  createApiKeyTool,
  revokeApiKey,
  getPlaybook,
  regeneratePlaybook,
];
