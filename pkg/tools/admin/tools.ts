import { adminAdjustCredits } from './admin-adjust-credits.ts';
import { adminCreateWorkspace } from './admin-create-workspace.ts';
import { adminLinkAccount } from './admin-link-account.ts';
import { adminListDeadLetters } from './admin-list-dead-letters.ts';
import { adminListWorkspaces } from './admin-list-workspaces.ts';
import { adminResolveDeadLetter } from './admin-resolve-dead-letter.ts';
import { adminSetSendFreeze } from './admin-set-send-freeze.ts';
import { adminUpdateWorkspace } from './admin-update-workspace.ts';

export const adminTools = [
  adminCreateWorkspace,
  adminListWorkspaces,
  adminAdjustCredits,
  adminLinkAccount,
  adminListDeadLetters,
  adminResolveDeadLetter,
  adminSetSendFreeze,
  adminUpdateWorkspace,
];
