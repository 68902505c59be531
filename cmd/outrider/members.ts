import type { Command } from 'commander';
import { print, workspaceOf } from './keys.ts';
import { callTool } from './mcp-call.ts';

/** `outrider members`: who belongs to a workspace. */
export function addMembersCommand(program: Command): void {
  program
    .command('members')
    .description('members of a workspace with their roles')
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .action(async (options: { workspace?: string }) => {
      print(await callTool('svc_list_members', { workspaceId: await workspaceOf(options.workspace) }));
    });
}
