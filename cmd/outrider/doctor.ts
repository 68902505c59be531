import type { Command } from 'commander';
import { workspaceOf } from './keys.ts';
import { callTool } from './mcp-call.ts';

interface Diagnosis {
  healthy: boolean;
  checks: { check: string; ok: boolean; detail: string; nextTool: string | null }[];
}

/** `outrider doctor`: what blocks a workspace, workflow, lead or account, and the tool that fixes it. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor [target] [id]')
    .description('why nothing happens: target workspace (default), workflow, lead or network_account')
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .action(async (target = 'workspace', id: string | undefined, options: { workspace?: string }) => {
      const workspaceId = await workspaceOf(options.workspace);
      const input = { workspaceId, target, ...(id === undefined ? {} : { targetId: id }) };
      const diagnosis = (await callTool('svc_diagnose', input)) as Diagnosis;
      for (const { check, ok, detail, nextTool } of diagnosis.checks) {
        console.log(`${ok ? 'ok  ' : 'BAD '} ${check}: ${detail}${nextTool ? `  -> ${nextTool}` : ''}`);
      }
      if (!diagnosis.healthy) process.exitCode = 2;
    });
}
