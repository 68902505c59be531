import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { accountChecks } from './checks/account-checks.ts';
import { actionChecks } from './checks/action-checks.ts';
import { agentChecks } from './checks/agent-checks.ts';
import { automationChecks } from './checks/automation-checks.ts';
import { type Check, type CheckContext, diagnosticCheck } from './checks/check.ts';
import { integrationChecks } from './checks/integration-checks.ts';
import { leadChecks } from './checks/lead-checks.ts';
import { postChecks } from './checks/post-checks.ts';
import { providerAccountChecks } from './checks/provider-account-checks.ts';
import { watchChecks } from './checks/watch-checks.ts';
import { workflowChecks } from './checks/workflow-checks.ts';
import { workspaceChecks } from './checks/workspace-checks.ts';

const TARGETS = [
  'workspace',
  'workflow',
  'lead',
  'network_account',
  'provider_account',
  'automation',
  'integration',
  'action',
  'content_post',
  'signal_agent',
  'competitor_watch',
] as const;

const CHECKS: Record<(typeof TARGETS)[number], (context: CheckContext) => Promise<Check[]>> = {
  workspace: workspaceChecks,
  workflow: workflowChecks,
  lead: leadChecks,
  network_account: accountChecks,
  provider_account: providerAccountChecks,
  automation: automationChecks,
  integration: integrationChecks,
  action: actionChecks,
  signal_agent: agentChecks,
  competitor_watch: watchChecks,
  content_post: postChecks,
};

export const diagnose = tool({
  name: 'svc_diagnose',
  domain: 'Search & Diagnostics',
  title: 'Diagnose',
  description:
    'Explains why a workflow, lead, account, mailbox, automation, action or integration does nothing, or a record is missing: checks in order, first blocker, the tool that fixes it. Next: that tool.',
  example: { input: { target: 'workflow', targetId: '$workflowId' } },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    target: z.enum(TARGETS),
    targetId: z.string().min(1).optional().describe('Needed unless target is workspace.'),
  }),
  output: z.object({
    healthy: z.boolean(),
    checks: z.array(diagnosticCheck),
    firstBlocker: diagnosticCheck.nullable(),
    nextTool: z.string().nullable(),
    reason: z.string().nullable().describe('What holds it up, or, where nothing is wrong, what it waits for.'),
  }),
  async run(ctx, input) {
    const run = CHECKS[input.target];
    if (input.target !== 'workspace' && input.targetId === undefined)
      throw invalidInput('targetId', `is required for target ${input.target}`);
    const found = await ctx.tx((tx) =>
      run({
        tx,
        workspaceId: ctx.workspaceId,
        targetId: input.targetId ?? '',
        now: ctx.clocks.product.now(),
        isConfigured: (provider) => ctx.providers(provider) !== undefined,
      }),
    );
    const checks = found.map(({ waits: _, ...check }) => check);
    const firstBlocker = checks.find((check) => !check.ok) ?? null;
    return {
      healthy: firstBlocker === null,
      checks,
      firstBlocker,
      nextTool: firstBlocker?.nextTool ?? null,
      reason: firstBlocker?.detail ?? found.find((check) => check.waits)?.detail ?? null,
    };
  },
});
