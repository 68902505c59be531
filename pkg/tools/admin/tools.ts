import { adminAdjustCredits } from './admin-adjust-credits.ts';
import { adminCreateWorkspace } from './admin-create-workspace.ts';
import { adminDeleteWorkspace } from './admin-delete-workspace.ts';
import { adminEraseSubject } from './admin-erase-subject.ts';
import { adminGetSystemHealth } from './admin-get-system-health.ts';
import { adminGetWorkspace } from './admin-get-workspace.ts';
import { adminLinkAccount } from './admin-link-account.ts';
import { adminListAuditEvents } from './admin-list-audit-events.ts';
import { adminListDeadLetters } from './admin-list-dead-letters.ts';
import { adminListUsers } from './admin-list-users.ts';
import { adminListWorkspaces } from './admin-list-workspaces.ts';
import { adminResolveDeadLetter } from './admin-resolve-dead-letter.ts';
import { adminSetSendFreeze } from './admin-set-send-freeze.ts';
import { adminUpdateWorkspace } from './admin-update-workspace.ts';

export const adminTools = [
  adminCreateWorkspace,
  adminListWorkspaces,
  adminGetWorkspace,
  adminListUsers,
  adminListAuditEvents,
  adminAdjustCredits,
  adminLinkAccount,
  adminGetSystemHealth,
  adminListDeadLetters,
  adminResolveDeadLetter,
  adminSetSendFreeze,
  adminUpdateWorkspace,
  adminDeleteWorkspace,
  adminEraseSubject,
];
