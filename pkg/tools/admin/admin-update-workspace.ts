import { z } from 'zod';
import type { WorkspaceSpec } from '../../api/specs.ts';
import { workspaceSpec } from '../../api/workspace.ts';
import { BUDGET_ACTIONS } from '../../domain/actions.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { requireUnmarked } from './require-workspace.ts';

const input = z.strictObject({
  workspaceId: z.string().min(1),
  status: z.enum(['active', 'suspended']).optional(),
  plan: z.string().max(50).optional(),
  agencyId: z.string().optional(),
  limits: z
    .record(z.string(), z.json())
    .optional()
    .describe(
      'readPerMinute, writePerMinute, llmPerMinute, overallPerMinute, monthlyCredits, dailyActions (action to units), executor (requests and limits of cpu and memory); null takes a limit away.',
    ),
  reason: z.string().min(1).max(500).describe('Kept in the audit log.'),
});
type Request = z.output<typeof input>;

/** What `limits` may hold: bounds are the resource's. */
const limitsChange = z
  .strictObject({
    ...workspaceSpec.shape.limits.unwrap().shape,
    executor: workspaceSpec.shape.executor.unwrap().shape.resources,
  })
  .partial();

/** Names whose null takes the limit away, so that the platform's default holds again. */
const REMOVABLE = Object.keys(limitsChange.shape);

export const adminUpdateWorkspace = tool({
  name: 'svc_admin_update_workspace',
  domain: 'Admin (platform admins only)',
  title: 'Admin: update workspace',
  description:
    'Changes plan, limits, agency or suspends and restores a workspace; suspension stops every action within seconds. Next: svc_admin_get_workspace.',
  example: { input: { workspaceId: '$newWorkspaceId', plan: 'team', reason: 'their order of March' }, caller: 'admin' },
  scope: 'admin:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input,
  output: z.object({ workspaceId: z.string(), status: z.string(), applied: z.record(z.string(), z.unknown()) }),
  async run(ctx, request) {
    const { workspaceId } = request;
    await ctx.platformTx((tx) => requireUnmarked(tx, workspaceId));
    const limits = readLimits(request.limits ?? {});
    return ctx.resources.update({
      kind: 'Workspace',
      workspaceId,
      id: workspaceId,
      change: (spec) => changed(spec, request, limits),
      finish: async (tx) => {
        const row = await tx.row<{ operating_mode: string }>('select operating_mode from workspace where id = $1', [
          workspaceId,
        ]);
        const status = row?.operating_mode === 'Suspended' ? 'suspended' : 'active';
        if (status === 'active') {
          await wakeIfWorking(tx, workspaceId, ctx.clocks.product.now(), 'workspace changed');
        }
        const { plan, agencyId, limits: given } = request;
        return { workspaceId, status, applied: present({ status: request.status, plan, agencyId, limits: given }) };
      },
    });
  },
});

interface LimitsChange {
  set: z.output<typeof limitsChange>;
  remove: string[];
}

/** @throws UserError naming the first limit that is unknown or out of its bounds */
function readLimits(given: Record<string, unknown>): LimitsChange {
  const remove = Object.keys(given).filter((name) => given[name] === null && REMOVABLE.includes(name));
  const parsed = limitsChange.safeParse(
    Object.fromEntries(Object.entries(given).filter(([name]) => !remove.includes(name))),
  );
  if (parsed.success) {
    requireActions(parsed.data.dailyActions ?? {});
    return { set: parsed.data, remove };
  }
  const [issue] = parsed.error.issues;
  throw invalidInput(['limits', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
}

/** A limit of an action that there is none of binds nobody. @throws UserError naming the first one */
function requireActions(limits: Record<string, number>): void {
  const known: readonly string[] = BUDGET_ACTIONS;
  const unknown = Object.keys(limits).find((action) => !known.includes(action));
  if (unknown === undefined) return;
  throw invalidInput(`limits.dailyActions.${unknown}`, `is no action; those are ${known.join(', ')}`);
}

/** Only what was given changes; an empty agencyId takes the workspace out of its agency. */
function changed(spec: WorkspaceSpec, request: Request, { set, remove }: LimitsChange): WorkspaceSpec {
  const { executor, ...limits } = set;
  const next: WorkspaceSpec = { ...spec, limits: { ...spec.limits, ...limits }, executor: { ...spec.executor } };
  for (const name of remove) {
    if (name === 'executor') delete next.executor.resources;
    else delete next.limits[name as keyof typeof next.limits];
  }
  if (executor !== undefined) next.executor.resources = executor;
  if (request.status !== undefined) next.operatingMode = request.status === 'suspended' ? 'Suspended' : 'Running';
  if (request.plan !== undefined) next.plan = request.plan === '' ? 'standard' : request.plan;
  if (request.agencyId === '') delete next.agencyId;
  else if (request.agencyId !== undefined) next.agencyId = request.agencyId;
  return next;
}

function present(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
