import { UserError } from '../../base/errors.ts';
import { isOwner } from '../network-accounts/account-owner.ts';
import type { ToolContext } from '../tool-context.ts';

/** What binds all workspaces that share a mailbox is set by its owner. @throws UserError for a workspace that only shares it */
export function requireMailboxOwner({ caller }: ToolContext, owner: string | null): void {
  if (isOwner(caller, owner)) return;
  throw new UserError(
    'Limits, gap, hours, timezone, signature and warm-up are set by the workspace that linked this mailbox first, because they bind all that share it; yours sets isDefault. Call svc_list_provider_accounts to see what is in force.',
    'NotOwner',
  );
}
