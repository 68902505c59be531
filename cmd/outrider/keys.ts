import type { Command } from 'commander';
import { connection } from './home-client.ts';
import { callTool } from './mcp-call.ts';

/** `outrider keys`: list, create and revoke API keys. */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('API keys of a workspace');
  keys
    .command('list')
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .action(async (options: { workspace?: string }) => {
      print(await callTool('svc_list_api_keys', { workspaceId: await workspaceOf(options.workspace) }));
    });
  keys
    .command('create <name> <scopes...>')
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .action(async (name: string, scopes: string[], options: { workspace?: string }) => {
      const workspaceId = await workspaceOf(options.workspace);
      print(await callTool('svc_create_api_key', { workspaceId, name, scopes }));
    });
  keys.command('revoke <apiKeyId>').action(async (apiKeyId: string) => {
    print(await callTool('svc_revoke_api_key', { apiKeyId }));
  });
}

/** The given workspace, or the one of the running home. */
export async function workspaceOf(given: string | undefined): Promise<string> {
  return given ?? (await connection()).workspaceId;
}

/** Prints a result for people and programs alike. */
export function print(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}
