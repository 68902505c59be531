import type { Command } from 'commander';
import { SystemClock } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { sealingEnv } from '../../pkg/base/sealing-env.ts';
import { type Diagnosis, examine } from '../../pkg/engine/doctor/doctor.ts';
import { knownSealer } from './home-secrets.ts';
import { installationEnv, onInstallation } from './installation.ts';
import { workspaceOf } from './keys.ts';
import { callTool } from './mcp-call.ts';

interface TargetDiagnosis {
  healthy: boolean;
  checks: { check: string; ok: boolean; detail: string; nextTool: string | null }[];
}

/** Something is wrong; 1 is kept for a command that could not run. */
const UNHEALTHY = 2;

/** `outrider doctor`: what is wrong with the installation; with a target, what blocks a workspace, workflow, lead or account. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor [target] [id]')
    .description(
      'what is wrong with the installation and what to do; target workspace, workflow, lead or network_account: why it does nothing',
    )
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .action(async (target: string | undefined, id: string | undefined, options: { workspace?: string }) => {
      const healthy = target === undefined ? await installation() : await ofTarget(target, id, options.workspace);
      if (!healthy) process.exitCode = UNHEALTHY;
    });
}

async function installation(): Promise<boolean> {
  const env = parseEnv(installationEnv.extend(sealingEnv), process.env);
  const diagnosis = await onInstallation(async ({ db, now }) => {
    const sealer = await knownSealer(env);
    return examine(db, { product: now(), real: new SystemClock().now(), sealer });
  }, env);
  for (const line of lines(diagnosis)) console.log(line);
  return diagnosis.findings.every((finding) => finding.level !== 'problem');
}

function lines({ findings, sound }: Diagnosis): string[] {
  const found = findings.flatMap(({ check, level, text, remedy }) => [
    `${level === 'problem' ? 'BAD ' : 'note'} ${check}: ${text}`,
    `       ${remedy}`,
  ]);
  return [...sound.map((name) => `ok   ${name}`), ...found];
}

async function ofTarget(target: string, id: string | undefined, workspace: string | undefined): Promise<boolean> {
  const workspaceId = await workspaceOf(workspace ?? (target === 'workspace' ? id : undefined));
  const input = { workspaceId, target, ...(id === undefined ? {} : { targetId: id }) };
  const diagnosis = (await callTool('svc_diagnose', input)) as TargetDiagnosis;
  for (const { check, ok, detail, nextTool } of diagnosis.checks) {
    console.log(`${ok ? 'ok  ' : 'BAD '} ${check}: ${detail}${nextTool ? `  -> ${nextTool}` : ''}`);
  }
  return diagnosis.healthy;
}
