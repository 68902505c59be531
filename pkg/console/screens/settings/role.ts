import { workspace } from '../../app/session.ts';

/** What a role may, in a line. */
export const ROLE_WORDS: Readonly<Record<string, string>> = {
  owner: 'Owner: everything, keys of the workspace too',
  admin: 'Admin: everything but roles and keys of the workspace',
  member: 'Member: the daily work, no settings',
  reviewer: 'Reviewer: reads everything, decides drafts',
};

/** Whether the member changes settings, members and invitations. */
export function isManager(): boolean {
  const role = workspace.value?.role;
  return role === 'owner' || role === 'admin';
}

/** Whether the workspace is the member's. */
export function isOwner(): boolean {
  return workspace.value?.role === 'owner';
}
