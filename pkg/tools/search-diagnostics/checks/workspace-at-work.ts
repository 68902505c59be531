import { type Check, type CheckContext, firstOf } from './check.ts';
import type { CheckName } from './check-names.ts';
import { workspaceChecks } from './workspace-checks.ts';

/** Checks of the workspace that stop what goes on without a run. */
const OF_WORKSPACE: ReadonlySet<string> = new Set(['workspace_running', 'executor']);

/** One check of the workspace behind an action, an automation or a post. */
export async function workspaceAtWork(context: CheckContext, name: CheckName): Promise<Check> {
  const checks = (await workspaceChecks(context)).filter((check) => OF_WORKSPACE.has(check.check));
  return firstOf(name, checks, 'The workspace is at work.');
}
