import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { SystemClock } from '../../pkg/base/clock.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { isGenuine } from '../../pkg/store/erasure/certificates.ts';
import { type ComponentHealth, overallStatus, readSystemHealth } from '../../pkg/store/figures/system-health.ts';
import { onInstallation } from './installation.ts';
import { print } from './keys.ts';
import { callTool } from './mcp-call.ts';

/** Something is wrong; 1 is kept for a command that could not run. */
const UNHEALTHY = 2;

const certificateFile = z.object({ publicKey: z.string(), signature: z.string(), signed: z.string() });

/** `outrider admin`: what platform admins do, for the person who has a shell and no MCP client. */
export function addAdminCommand(program: Command): void {
  const admin = program
    .command('admin')
    .description('what platform admins see and do; OUTRIDER_KEY: the user key of one, with the scopes admin:*');
  addReads(admin);
  addStops(admin);
  addDeletion(admin);
  addErasure(admin);
}

function addReads(admin: Command): void {
  admin
    .command('health')
    .description(
      'each component, its state, since when, and its runbook, read from OWNER_DATABASE_URL; exit code 2: something is wrong',
    )
    .action(showHealth);
  admin
    .command('workspaces [query]')
    .description('workspaces with owner, plan, executor and balance')
    .action(async (query?: string) =>
      print(await callTool('svc_admin_list_workspaces', { ...given({ query }), limit: 100 })),
    );
  admin
    .command('workspace <id>')
    .description('one workspace with its queues, limits and deletion')
    .action(async (workspaceId: string) => print(await callTool('svc_admin_get_workspace', { workspaceId })));
  admin
    .command('users [query]')
    .description('users with their memberships')
    .option('--workspace <id>', 'members of it only')
    .action(async (query: string | undefined, { workspace }: { workspace?: string }) =>
      print(await callTool('svc_admin_list_users', { ...given({ query, workspaceId: workspace }), limit: 100 })),
    );
  admin
    .command('audit')
    .description('the newest records of the audit log')
    .option('--workspace <id>')
    .option('--actor <id>', 'id of a user or key')
    .option('--tool <name>')
    .option('--record <id>')
    .action(async (options: { workspace?: string; actor?: string; tool?: string; record?: string }) => {
      const { workspace: workspaceId, actor: actorId, tool: toolName, record: recordId } = options;
      print(
        await callTool('svc_admin_list_audit_events', {
          ...given({ workspaceId, actorId, toolName, recordId }),
          limit: 100,
        }),
      );
    });
}

function addStops(admin: Command): void {
  for (const [name, frozen] of [
    ['freeze', true],
    ['unfreeze', false],
  ] as const) {
    admin
      .command(name)
      .description(frozen ? 'stop sends: all, or of a workspace, an account, a channel' : 'let sends go on')
      .option('--workspace <id>')
      .option('--account <id>')
      .option('--channel <channel>', 'network, mail, content or webhook')
      .requiredOption('--reason <text>', 'kept in the audit log')
      .action(async (options: { workspace?: string; account?: string; channel?: string; reason: string }) => {
        const { workspace: workspaceId, account: accountId, channel, reason } = options;
        print(
          await callTool('svc_admin_set_send_freeze', {
            frozen,
            ...given({ workspaceId, accountId, channel }),
            reason,
          }),
        );
      });
  }
  admin
    .command('dead-letters')
    .description('actions whose outcome nobody could find out')
    .option('--workspace <id>')
    .action(async ({ workspace }: { workspace?: string }) =>
      print(await callTool('svc_admin_list_dead_letters', { ...given({ workspaceId: workspace }), limit: 100 })),
    );
  admin
    .command('resolve <deadLetterId> <resolution>')
    .description('lookup, retry, mark_done, mark_not_done or discard')
    .requiredOption('--reason <text>', 'kept in the audit log')
    .action(async (deadLetterId: string, resolution: string, { reason }: { reason: string }) =>
      print(await callTool('svc_admin_resolve_dead_letter', { deadLetterId, resolution, reason })),
    );
}

function addDeletion(admin: Command): void {
  admin
    .command('delete-workspace <id>')
    .description('suspend it now, end its keys, and erase it after the grace; --cancel takes that back')
    .requiredOption('--name <name>', 'its name, as a confirmation')
    .requiredOption('--reason <text>', 'kept in the audit log')
    .option('--grace-days <days>', 'days until it is erased', '30')
    .option('--cancel', 'take the mark back', false)
    .action(
      async (workspaceId: string, options: { name: string; reason: string; graceDays: string; cancel: boolean }) => {
        const { name: confirmName, reason, cancel } = options;
        const graceDays = Number(options.graceDays);
        print(await callTool('svc_admin_delete_workspace', { workspaceId, confirmName, graceDays, cancel, reason }));
      },
    );
}

function addErasure(admin: Command): void {
  admin
    .command('erase')
    .description('find a person in every store and list what is there; --yes erases it')
    .option('--email <address>')
    .option('--profile <url>')
    .option('--lead <id>')
    .option('--yes', 'erase; without it nothing is changed', false)
    .requiredOption('--reason <text>', 'kept in the audit log; the number of the request, no name')
    .action(async (options: { email?: string; profile?: string; lead?: string; yes: boolean; reason: string }) => {
      const { email, profile: profileUrl, lead: leadId, yes, reason } = options;
      print(
        await callTool('svc_admin_erase_subject', { ...given({ email, profileUrl, leadId }), dryRun: !yes, reason }),
      );
    });
  admin
    .command('verify-certificate <file>')
    .description('whether the certificate in a JSON file says what was signed; exit code 2: it does not')
    .action(async (file: string) => {
      const found = certificateFile.safeParse(JSON.parse(await readFile(file, 'utf8')));
      if (!found.success)
        throw new UserError(`${file} holds no certificate: publicKey, signature and signed are needed.`);
      const genuine = isGenuine({ algorithm: 'Ed25519', ...found.data });
      console.log(genuine ? `Genuine: ${found.data.signed}` : 'NOT GENUINE: the signature does not fit');
      if (!genuine) process.exitCode = UNHEALTHY;
    });
}

/** Read from the database itself: it works while the MCP server does not. */
async function showHealth(): Promise<void> {
  const components = await onInstallation(({ db, now }) => {
    const times = { product: now(), real: new SystemClock().now() };
    return db.tx({ kind: 'platform' }, (tx) => readSystemHealth(tx, times));
  });
  for (const component of components) console.log(lineOf(component));
  if (overallStatus(components) !== 'ok') process.exitCode = UNHEALTHY;
}

function lineOf({ name, status, detail, since, runbook }: ComponentHealth): string {
  if (status === 'ok') return `ok   ${name}: ${detail}`;
  const at = since === null ? '' : ` since ${new Date(since).toISOString()}`;
  return `${status === 'down' ? 'DOWN' : 'BAD '} ${name}${at}: ${detail}\n       ${runbook}`;
}

/** Only what was given. */
function given(options: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
