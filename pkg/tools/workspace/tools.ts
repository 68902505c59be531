import { createApiKeyTool } from './create-api-key.ts';
import { createInvitation } from './create-invitation.ts';
import { getPlaybook } from './get-playbook.ts';
import { getWorkspace } from './get-workspace.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listInvitations } from './list-invitations.ts';
import { listMembers } from './list-members.ts';
import { regeneratePlaybook } from './regenerate-playbook.ts';
import { removeMember } from './remove-member.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { revokeInvitation } from './revoke-invitation.ts';
import { updateMemberRole } from './update-member-role.ts';
import { updateWorkspace } from './update-workspace.ts';

export const workspaceTools = [
  getWorkspace,
  updateWorkspace,
  listMembers,
  updateMemberRole,
  removeMember,
  listInvitations,
  createInvitation,
  revokeInvitation,
  listApiKeys,
  createApiKeyTool,
  revokeApiKey,
  getPlaybook,
  regeneratePlaybook,
];
