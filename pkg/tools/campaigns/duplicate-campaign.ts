import { z } from 'zod';
import { campaignSpec } from '../../api/campaign.ts';
import { refName } from '../../api/object.ts';
import type { CampaignSpec } from '../../api/specs.ts';
import { workflowSpec } from '../../api/workflow.ts';
import { UserError } from '../../base/errors.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { graphSpecOf } from '../workflows/check-graph.ts';
import {
  type CampaignContent,
  type Renamed,
  readContent,
  type WorkflowCopy,
  withNewIds,
  writeContent,
} from './campaign-content.ts';
import { type CampaignRow, requireCampaign, settingsOf } from './campaign-row.ts';
import { defaultsOf } from './create-campaign.ts';

/** Longest title that a campaign may have. */
const LONGEST_TITLE = 200;

export const duplicateCampaign = tool({
  name: 'svc_duplicate_campaign',
  domain: 'Campaigns',
  title: 'Duplicate campaign',
  description:
    'Copies settings, ICPs, personas, phases and disabled workflows into a new draft, optionally in another workspace of the caller; use it as a template. Next: svc_update_campaign.',
  example: { input: { campaignId: '$campaignId', title: 'Q3 founders' }, keep: { nextCampaignId: 'campaignId' } },
  scope: 'campaigns:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    campaignId: z.string().min(1),
    title: z.string().min(1).max(LONGEST_TITLE).optional(),
    targetWorkspaceId: z
      .string()
      .min(1)
      .optional()
      .describe('User key only; membership in both workspaces is checked.'),
  }),
  output: z.object({ campaignId: z.string(), title: z.string(), copied: z.record(z.string(), z.unknown()) }),
  async run(ctx, input) {
    const { row, content } = await ctx.tx(async (tx) => {
      const source = await requireCampaign(tx, input.campaignId);
      return { row: source, content: await readContent(tx, source.id) };
    });
    const target = targetOf(ctx, row, input.targetWorkspaceId);
    const title = input.title ?? `${row.title.slice(0, LONGEST_TITLE - 7)} (copy)`;
    const foreign = target !== row.workspace_id;
    const seen: Seen = foreign ? await reviewOf(ctx, row, target) : {};
    const parts = [...content.icps, ...content.personas, ...content.phases];
    const proposed: Renamed = new Map(parts.map((part) => [part.id, ctx.ids.uuid()]));
    const { campaignId, names } = await ctx.resources.create({
      kind: 'Campaign',
      workspaceId: target,
      prefix: 'camp',
      spec: { ...specOf(row, target, title), ...seen },
      finish: async (tx, written) => {
        const now = ctx.clocks.product.now();
        await writeContent(tx, content, { workspaceId: target, campaignId: written.id, now, renamed: proposed });
        // Made again after a crash, the call goes on with the ids that its first try wrote.
        return { campaignId: written.id, names: [...proposed] };
      },
    });
    const renamed: Renamed = new Map(names);
    const { withoutSenders, copied } = await copyWorkflows(ctx, content, { target, campaignId, renamed, foreign });
    return {
      campaignId,
      title,
      copied: {
        icps: content.icps.length,
        personas: content.personas.length,
        phases: content.phases.length,
        workflows: copied,
        warnings: [...warningsOf(content, withoutSenders, foreign), ...reviewWarning(seen)],
      },
    };
  },
});

/** @throws UserError unless the caller may write there */
function targetOf(ctx: ToolContext, row: CampaignRow, wanted: string | undefined): string {
  if (wanted === undefined || wanted === row.workspace_id) return row.workspace_id;
  const { caller } = ctx;
  if (caller.keyType === 'workspace') {
    throw new UserError('This key is bound to another workspace. Omit targetWorkspaceId.', 'WorkspaceMismatch');
  }
  if (caller.workspaces.some((entry) => entry.workspaceId === wanted)) return wanted;
  const shown = wanted.replace(/[\p{Cc}\p{Cs}]/gu, '?').slice(0, 100);
  throw new UserError(`You are not a member of workspace "${shown}". Pass a workspaceId from svc_whoami.`, 'NotMember');
}

/** The review mode that a copy has instead of its original's. */
type Seen = Partial<Pick<CampaignSpec, 'reviewMode'>>;

/** In another workspace nothing is sent unseen where its new campaigns are reviewed: a mode that somebody chose stays. */
async function reviewOf(ctx: ToolContext, row: CampaignRow, target: string): Promise<Seen> {
  if (settingsOf(row).reviewMode !== 'off') return {};
  const { reviewMode } = campaignSpec.pick({ reviewMode: true }).parse(await defaultsOf(ctx, target));
  return reviewMode === 'off' ? {} : { reviewMode };
}

function reviewWarning({ reviewMode }: Seen): string[] {
  if (reviewMode === undefined) return [];
  return [
    `The original sends without review; the copy has the review mode of new campaigns of its workspace, ${reviewMode}.`,
  ];
}

/** The same settings; whatever state the original is in, the copy is a draft. */
function specOf(row: CampaignRow, workspaceId: string, title: string): CampaignSpec {
  const { playbookOverride, businessHours, ...settings } = settingsOf(row);
  return campaignSpec.parse({
    ...settings,
    ...(row.settings.signalRules ? { signalRules: row.settings.signalRules } : {}),
    ...(playbookOverride === null ? {} : { playbookOverride }),
    ...(businessHours === null ? {} : { businessHours }),
    workspaceRef: { name: refName(workspaceId) },
    title,
    goal: row.goal,
    description: row.description,
  });
}

interface Copying {
  target: string;
  campaignId: string;
  renamed: Renamed;
  /** The copy lies in another workspace. */
  foreign: boolean;
}

/** Makes the workflows, disabled; a copy that can't be completed is taken back. */
async function copyWorkflows(
  ctx: ToolContext,
  content: CampaignContent,
  copying: Copying,
): Promise<{ copied: number; withoutSenders: number }> {
  let withoutSenders = 0;
  const made = new Map<string, string>();
  try {
    for (const flow of content.workflows) {
      const networkAccountIds = await linkedAccounts(ctx, flow.networkAccountIds, copying.target);
      if (networkAccountIds.length < flow.networkAccountIds.length) withoutSenders += 1;
      made.set(flow.id, await copyWorkflow(ctx, { ...flow, networkAccountIds }, copying));
    }
    for (const flow of content.workflows) await nameCopies(ctx, flow, copying, made);
    return { copied: content.workflows.length, withoutSenders };
  } catch (error) {
    const { target, campaignId } = copying;
    await ctx.resources.delete({ kind: 'Campaign', workspaceId: target, id: campaignId, finish: async () => ({}) });
    throw error;
  }
}

/** What a workflow hands over goes to the copy of the other one; it may hand back, so all must be there first. */
async function nameCopies(ctx: ToolContext, flow: WorkflowCopy, { target }: Copying, made: Renamed): Promise<void> {
  const id = made.get(flow.id);
  const named = flow.graph.nodes.some(({ config }) => Object.values(config).some((value) => made.has(String(value))));
  if (id === undefined || !named) return;
  await ctx.resources.update({
    kind: 'Workflow',
    workspaceId: target,
    id,
    change: (spec) => ({ ...spec, graph: withNewIds(spec.graph, made) }),
    finish: async () => ({}),
  });
}

/** @returns the id of the copy */
async function copyWorkflow(ctx: ToolContext, flow: WorkflowCopy, copying: Copying): Promise<string> {
  const { target, campaignId, renamed, foreign } = copying;
  const { workflowId } = await ctx.resources.create({
    kind: 'Workflow',
    workspaceId: target,
    prefix: 'flow',
    part: flow.id,
    spec: workflowSpec.parse({
      campaignRef: { name: refName(campaignId) },
      name: flow.name,
      networkAccountIds: flow.networkAccountIds,
      providerAccountIds: foreign ? [] : flow.providerAccountIds,
      inFlight: flow.inFlight,
      graph: withNewIds(graphSpecOf(flow.graph), renamed),
    }),
    finish: async (_tx, written) => ({ workflowId: written.id }),
  });
  return workflowId;
}

/** Senders that the target workspace has too; who is not linked there could not send. */
async function linkedAccounts(ctx: ToolContext, accountIds: string[], workspaceId: string): Promise<string[]> {
  if (accountIds.length === 0) return [];
  const rows = await ctx.tx((tx) =>
    tx.rows<{ id: string }>(
      'select account_id as id from account_link where workspace_id = $1 and account_id = any ($2)',
      [workspaceId, accountIds],
    ),
  );
  return accountIds.filter((id) => rows.some((row) => row.id === id));
}

/** What the caller should look at before enabling anything. */
function warningsOf(content: CampaignContent, withoutSenders: number, foreign: boolean): string[] {
  const lists = content.workflows.filter((flow) => flow.graph.nodes.some((node) => 'leadListId' in node.config)).length;
  const warnings: string[] = [];
  if (lists > 0) {
    warnings.push(
      foreign
        ? `${lists} workflows name a lead list of the other workspace; give them one of this workspace with svc_update_workflow.`
        : `${lists} workflows name the lead list of the original; change it with svc_update_workflow if the copy is to use another.`,
    );
  }
  const named = foreign ? namedElsewhere(content) : { workflows: 0, fields: [] };
  if (named.workflows > 0) {
    warnings.push(
      `${named.workflows} workflows name records of the other workspace (${named.fields.join(', ')}); give them those of this workspace with svc_update_workflow.`,
    );
  }
  if (withoutSenders > 0) {
    warnings.push(
      `${withoutSenders} workflows lost senders that are not linked to the workspace; without named senders all healthy linked accounts send.`,
    );
  }
  return warnings;
}

/** Fields of a node's config that name records which stay behind in their workspace; lead lists are told apart. */
const LEFT_BEHIND = ['integrationId', 'memberIds', 'providerAccountId', 'reviewerIds', 'signalAgentId', 'workflowId'];

/** How many workflows name such records, and by which fields; the campaign's own workflows go along. */
function namedElsewhere({ workflows }: CampaignContent): { workflows: number; fields: string[] } {
  const own = new Set(workflows.map((flow) => flow.id));
  const fields = workflows.map((flow) =>
    LEFT_BEHIND.filter((field) =>
      flow.graph.nodes.some(({ config }) => config[field] != null && !own.has(String(config[field]))),
    ),
  );
  return { workflows: fields.filter((found) => found.length > 0).length, fields: [...new Set(fields.flat())].sort() };
}
