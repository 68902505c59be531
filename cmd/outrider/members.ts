import type { Command } from 'commander';
import { UserError } from '../../pkg/base/errors.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { giveUserKey } from '../../pkg/store/tenancy/give-user-key.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { onInstallation } from './installation.ts';
import { print, workspaceOf } from './keys.ts';
import { callTool } from './mcp-call.ts';

/** `outrider members`: who belongs to a workspace. */
export function addMembersCommand(program: Command): void {
  const members = program.command('members').description('members of a workspace and invitations');
  members
    .command('list', { isDefault: true })
    .description('members with their roles')
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .action(async (options: { workspace?: string }) => {
      print(await callTool('svc_list_members', { workspaceId: await workspaceOf(options.workspace) }));
    });
  members
    .command('invite <email>')
    .description('invite an address; where no mail is set up the answer holds the link for it')
    .option('--role <role>', 'admin, member or reviewer', 'member')
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .action(async (email: string, options: { role: string; workspace?: string }) => {
      const workspaceId = await workspaceOf(options.workspace);
      print(await callTool('svc_create_invitation', { workspaceId, email, role: options.role }));
    });
  members
    .command('accept <inviteUrl>')
    .description('accept an invitation; a new user gets their key here. OUTRIDER_KEY: the user key of somebody known')
    .option('--name <name>', 'how you are called', '')
    .action(async (inviteUrl: string, options: { name: string }) => {
      print(await acceptInvitation(inviteUrl, options.name));
    });
  members
    .command('key <email>')
    .description(
      'a key for a user who has none or lost theirs, as a new owner; OWNER_DATABASE_URL names the installation',
    )
    .option('--revoke-others', 'end all other user keys of theirs', false)
    .action(async (email: string, options: { revokeOthers: boolean }) => {
      print(await giveKey(email, options.revokeOthers));
    });
}

async function giveKey(email: string, revokeOthers: boolean): Promise<object> {
  const given = await onInstallation(({ db, now }) =>
    db.tx({ kind: 'none' }, (tx) => giveUserKey(tx, { email, revokeOthers, id: systemIds.uuid(), now: now() })),
  );
  if (!given) throw new UserError(`Nobody has the address ${email}. Invite them: outrider members invite ${email}.`);
  return given;
}
