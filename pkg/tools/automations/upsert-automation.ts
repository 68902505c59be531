import { z } from 'zod';
import { AUTOMATION_KINDS } from '../../domain/schedule/automation-kinds.ts';
import { checkCron } from '../../domain/schedule/check-cron.ts';
import { Cron } from '../../domain/schedule/cron.ts';
import type { Tx } from '../../postgres/database.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { insertSchedule, lockSchedulesOf, nextOf, updateSchedule } from '../../store/schedules/schedules.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { invalidInput, wrongState } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { type Automation, requireAutomation } from './automation-row.ts';
import { checkSettings } from './automation-settings.ts';

/** Automations that a campaign has at most. */
const MOST = 50;

const input = z.strictObject({
  automationId: z.string().min(1).optional(),
  campaignId: z.string().min(1).optional(),
  name: z.string().min(1).max(120).optional(),
  kind: z.enum(AUTOMATION_KINDS).optional(),
  schedule: z.string().max(100).optional().describe('Cron, 5 fields.'),
  timezone: z.string().optional().describe("IANA; default: the workspace's."),
  settings: z.record(z.string(), z.unknown()).optional().describe('Per kind; see automationKinds.'),
});
type Change = z.output<typeof input>;
interface Answer {
  automationId: string;
  created: boolean;
  enabled: boolean;
  nextRunAt: string | null;
}

export const upsertAutomation = tool({
  name: 'svc_upsert_automation',
  domain: 'Automations',
  title: 'Create or update automation',
  description:
    'Creates a cron automation of a campaign, or changes the schedule or settings of one; starts disabled. Next: svc_toggle_automation.',
  example: {
    input: { campaignId: '$campaignId', name: 'Nightly scores', kind: 'rescore_leads', schedule: '30 2 * * *' },
    keep: { automationId: 'automationId' },
  },
  scope: 'automations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({
    automationId: z.string(),
    created: z.boolean(),
    enabled: z.boolean(),
    nextRunAt: z.string().nullable(),
  }),
  async run(ctx, change) {
    return ctx.tx(async (tx): Promise<Answer> => {
      if (change.automationId !== undefined)
        return update(ctx, tx, await requireAutomation(tx, change.automationId, true), change);
      return create(ctx, tx, change);
    });
  },
});

/** An automation of the same campaign, kind and name is this one: the call may be made again. */
async function create(ctx: ToolContext, tx: Tx, change: Change): Promise<Answer> {
  const { campaignId, name, kind, schedule } = change;
  if (campaignId === undefined) throw lacks('campaignId');
  if (name === undefined) throw lacks('name');
  if (kind === undefined) throw lacks('kind');
  if (schedule === undefined) throw lacks('schedule');
  const campaign = await requireCampaign(tx, campaignId);
  const known = await lockSchedulesOf(tx, campaignId);
  const same = known.find((one) => one.kind === kind && one.name === name);
  if (same) return update(ctx, tx, await requireAutomation(tx, same.id, true), change);
  if (known.length >= MOST) throw wrongState(`A campaign has ${MOST} automations at most`, 'svc_list_automations');
  const settings = await checkSettings(tx, { kind, campaignId }, change.settings ?? {});
  const now = ctx.clocks.product.now();
  const zone = await tx.row<{ timezone: string }>('select timezone from workspace where id = $1', [
    campaign.workspace_id,
  ]);
  const timing = timingOf(schedule, change.timezone ?? zone?.timezone ?? 'UTC', now);
  const id = ctx.ids.uuid();
  const off = { enabled: false, nextFor: null, nextAt: null };
  await insertSchedule(tx, {
    id,
    workspaceId: campaign.workspace_id,
    kind,
    campaignId,
    name,
    settings,
    timing,
    createdAt: now,
    ...off,
  });
  return { automationId: id, created: true, enabled: false, nextRunAt: null };
}

async function update(ctx: ToolContext, tx: Tx, known: Automation, change: Change): Promise<Answer> {
  if (change.kind !== undefined && change.kind !== known.kind)
    throw invalidInput('kind', `is ${known.kind} and stays so; make another automation`);
  if (change.campaignId !== undefined && change.campaignId !== known.campaignId)
    throw invalidInput('campaignId', 'an automation stays in its campaign; make another automation');
  const now = ctx.clocks.product.now();
  const settings = change.settings === undefined ? known.settings : await checkSettings(tx, known, change.settings);
  const moved = change.schedule !== undefined || change.timezone !== undefined;
  const { cron, timezone } = known.timing;
  const timing = moved ? timingOf(change.schedule ?? cron, change.timezone ?? timezone, now) : known.timing;
  const { nextFor, nextAt } = moved && known.enabled ? nextOf(timing, known.id, now) : known;
  await updateSchedule(tx, { ...known, name: change.name ?? known.name, settings, timing, nextFor, nextAt });
  if (nextAt !== null) await wakeWorkspace(tx, known.workspaceId, nextAt, 'an automation was changed');
  return { automationId: known.id, created: false, enabled: known.enabled, nextRunAt: isoOrNull(nextFor) };
}

/** @throws UserError with the reason and the next times that a refused schedule would have */
function timingOf(cron: string, timezone: string, now: number): Automation['timing'] {
  const checked = checkCron(cron, timezone, now);
  if (checked instanceof Cron) return { kind: 'cron', cron, timezone };
  const times = checked.next.map(iso).join(', ');
  throw invalidInput('schedule', `${checked.reason}${times === '' ? '' : `; its next times would be ${times}`}`);
}

function lacks(parameter: string): Error {
  return invalidInput(parameter, 'is required without automationId');
}
