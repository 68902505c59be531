import { z } from 'zod';
import type { WorkspaceSpec } from '../../api/specs.ts';
import { DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import { REVIEW_MODES } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { readPlaybook, readPlaybookVersion, writePlaybook } from '../../store/playbooks/playbook.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput } from '../errors.ts';
import { hoursInput } from '../hours-input.ts';
import { requireHours } from '../require-hours.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { noVersion } from './no-version.ts';
import { requireManager } from './require-manager.ts';
import { readWorkspace, settingsOf, workspaceSettings } from './workspace-row.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  name: z.string().min(1).max(120).optional(),
  timezone: z.string().optional(),
  website: z.url().max(500).optional(),
  playbook: z.string().max(50_000).optional().describe('Manual edit; the old text stays in the history.'),
  playbookVersion: z.int().min(1).optional().describe('Restored.'),
  contentApprovalRequired: z.boolean().optional(),
  defaultReviewMode: z.enum(REVIEW_MODES).optional(),
  businessHours: hoursInput,
  retentionDays: z
    .int()
    .min(30)
    .max(3650)
    .optional()
    .describe('Days that content of deleted records is kept; without it for good.'),
  shareSuppressionWithAgency: z
    .boolean()
    .optional()
    .describe('Exclusions of this workspace count in all workspaces of its agency.'),
  senderPostalAddress: z.string().max(500).optional().describe('Put in mail footers.'),
});
type Change = z.output<typeof input>;

export const updateWorkspace = tool({
  name: 'svc_update_workspace',
  domain: 'Workspace',
  title: 'Update workspace settings',
  description:
    'Changes given settings: name, timezone, approval rules, default hours, contact policy, retention, or the playbook text by hand. Next: svc_get_workspace.',
  example: { input: { timezone: 'Europe/Berlin', defaultReviewMode: 'ai_only' } },
  scope: 'workspace:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({ workspaceId: z.string(), settings: workspaceSettings, updatedAt: z.string() }),
  async run(ctx, change) {
    const { workspaceId } = ctx;
    requireManager(ctx.caller, workspaceId, 'change its settings');
    requireHours(change);
    if (change.playbook !== undefined && change.playbookVersion !== undefined) {
      throw invalidInput('playbookVersion', 'the playbook is given as a text or as a version to restore, not both');
    }
    return ctx.resources.update({
      kind: 'Workspace',
      workspaceId,
      id: workspaceId,
      change: (spec) => changed(spec, change),
      finish: async (tx) => {
        const text = await playbookOf(tx, workspaceId, change);
        if (text !== undefined) await writeByHand(ctx, tx, text);
        await wakeIfWorking(tx, workspaceId, ctx.clocks.product.now(), 'workspace changed');
        const row = await readWorkspace(tx, workspaceId);
        return { workspaceId, settings: settingsOf(row), updatedAt: iso(row.updated_at) };
      },
    });
  },
});

/** The text to write: the given one, or that of a version of the history. @throws UserError when there is no such version */
async function playbookOf(
  tx: Tx,
  workspaceId: string,
  { playbook, playbookVersion }: Change,
): Promise<string | undefined> {
  if (playbookVersion === undefined) return playbook;
  const version = await readPlaybookVersion(tx, workspaceId, playbookVersion);
  if (!version) throw noVersion('playbookVersion', playbookVersion);
  return version.text;
}

/** A call that is made again changes nothing: the one who read the version goes on with it. */
async function writeByHand(ctx: ToolContext, tx: Tx, text: string): Promise<void> {
  if ((await readPlaybook(tx, ctx.workspaceId))?.text === text) return;
  await writePlaybook(tx, {
    workspaceId: ctx.workspaceId,
    text,
    source: 'manual',
    writer: '',
    createdBy: actorOf(ctx),
    createdAt: ctx.clocks.product.now(),
  });
}

/** Only what was given changes; hours merge field by field; an empty text clears. */
function changed(spec: WorkspaceSpec, change: Change): WorkspaceSpec {
  const { name, timezone, businessHours, workspaceId: _, playbook: __, playbookVersion: ___, ...settings } = change;
  const next: WorkspaceSpec = { ...spec };
  if (name !== undefined) next.displayName = name;
  if (timezone !== undefined) next.timezone = timezone;
  if (businessHours) {
    next.businessHours = {
      ...(spec.businessHours ?? { ...DEFAULT_BUSINESS_HOURS, days: [...DEFAULT_BUSINESS_HOURS.days] }),
      ...given(businessHours),
    };
  }
  next.settings = { ...spec.settings, ...given(settings) };
  if (next.settings.senderPostalAddress === '') delete next.settings.senderPostalAddress;
  return next;
}

/** The fields that are present. */
function given<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never;
}
