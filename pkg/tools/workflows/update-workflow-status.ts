import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { holdByTool, releaseHold } from '../../store/resources/holds.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { actorOf } from '../actor-of.ts';
import { wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { readGraph, requireWorkflow, type WorkflowRow } from './workflow-row.ts';

export const updateWorkflowStatus = tool({
  name: 'svc_update_workflow_status',
  domain: 'Workflows',
  title: 'Enable or disable workflow',
  description:
    "Sets the enabled flag: true starts processing leads, false stops new actions at once and keeps every lead's place. Next: svc_get_workflow_stats.",
  example: { input: { workflowId: '$workflowId', enabled: true } },
  scope: 'workflows:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ workflowId: z.string().min(1), enabled: z.boolean() }),
  output: z.object({ workflowId: z.string(), enabled: z.boolean(), warnings: z.array(z.string()) }),
  async run(ctx, input) {
    const row = await ctx.tx((tx) => requireWorkflow(tx, input.workflowId));
    return input.enabled ? enable(ctx, row) : disable(ctx, row);
  },
});

type Result = { workflowId: string; enabled: boolean; warnings: string[] };

/** A stop takes effect in Postgres first: it works also while the resource belongs to a GitOps manager. */
async function disable(ctx: ToolContext, row: WorkflowRow): Promise<Result> {
  const now = ctx.clocks.product.now();
  await ctx.tx(async (tx) => {
    const by = actorOf(ctx);
    await holdByTool(tx, { workspaceId: row.workspace_id, kind: 'workflow', id: row.id, by, now });
    await wakeWorkspace(tx, row.workspace_id, now, 'workflow stopped');
  });
  const warnings: string[] = [];
  try {
    await writeEnabled(ctx, row, false, async () => undefined);
  } catch (error) {
    warnings.push(
      `Sending is stopped by a hold. The resource itself still says enabled: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return { workflowId: row.id, enabled: false, warnings };
}

async function enable(ctx: ToolContext, row: WorkflowRow): Promise<Result> {
  const facts = await ctx.tx((tx) => factsOf(tx, row));
  if (row.graph_problem !== null || row.graph_version === 0) {
    throw wrongState(`The graph can't run: ${row.graph_problem ?? 'it was never valid'}`, 'svc_validate_workflow');
  }
  if (facts.healthyAccounts === 0) {
    const missing = facts.sender === 'mail' ? 'mailbox' : 'network account';
    throw wrongState(`No healthy ${missing} is linked to the workspace`, 'svc_list_network_accounts');
  }
  if (!['draft', 'active'].includes(facts.campaignState)) {
    throw wrongState(`The campaign is ${facts.campaignState}; set it to active first`, 'svc_update_campaign');
  }
  const warnings: string[] = [];
  if (facts.campaignState === 'draft') {
    warnings.push('The draft campaign was activated: from now on its leads are processed.');
    await ctx.resources.update({
      kind: 'Campaign',
      workspaceId: row.workspace_id,
      id: row.campaign_id,
      change: (spec) => ({ ...spec, state: 'active' }),
      finish: async () => ({}),
    });
  }
  if (facts.named.length === 0) {
    warnings.push(`All ${facts.healthyAccounts} healthy accounts linked to the workspace send.`);
  }
  if (facts.lacksMailbox) {
    warnings.push(
      'No healthy mailbox is linked to the workspace for its mail steps: leads wait there until one is connected.',
    );
  }
  await writeEnabled(ctx, row, true, async (tx) => {
    await releaseHold(tx, 'workflow', row.id);
    await wakeWorkspace(tx, row.workspace_id, ctx.clocks.product.now(), 'workflow enabled');
  });
  return { workflowId: row.id, enabled: true, warnings };
}

function writeEnabled(
  ctx: ToolContext,
  row: WorkflowRow,
  enabled: boolean,
  also: (tx: Tx) => Promise<void>,
): Promise<object> {
  return ctx.resources.update({
    kind: 'Workflow',
    workspaceId: row.workspace_id,
    id: row.id,
    change: (spec) => ({ ...spec, enabled }),
    finish: async (tx) => {
      await also(tx);
      return {};
    },
  });
}

interface Facts {
  campaignState: string;
  /** What sends: a mailbox where the graph writes mails only. */
  sender: 'network' | 'mail';
  /** Senders that the workflow names; none: all that are healthy. */
  named: readonly string[];
  healthyAccounts: number;
  /** The graph writes mails too, and nothing linked can. */
  lacksMailbox: boolean;
}

async function factsOf(tx: Tx, row: WorkflowRow): Promise<Facts> {
  const nodes = (await readGraph(tx, row))?.graph.nodes ?? [];
  const has = (family: string): boolean => nodes.some((node) => node.nodeType.startsWith(`${family}:`));
  const sender = has('mail') && !has('network') ? 'mail' : 'network';
  const named = sender === 'mail' ? row.provider_account_ids : row.network_account_ids;
  const state = await tx.row<{ state: string }>('select state from campaign where id = $1', [row.campaign_id]);
  const healthyAccounts = await healthy(tx, row.workspace_id, sender, named);
  const mailboxes =
    sender === 'network' && has('mail') ? await healthy(tx, row.workspace_id, 'mail', row.provider_account_ids) : 1;
  return { campaignState: state?.state ?? 'archived', sender, named, healthyAccounts, lacksMailbox: mailboxes === 0 };
}

/**
 * Accounts of a kind that are linked and can act: of those that are named, where there are any. Calendars are named beside
 * mailboxes, and who names no mailbox mails from all.
 */
async function healthy(tx: Tx, workspaceId: string, kind: string, named: readonly string[]): Promise<number> {
  const row = await tx.row<{ count: number }>(
    `with able as (
       select a.id, a.status = 'ok' and not a.paused as can
       from account_link l
       join network_account a on a.id = l.account_id
       where l.workspace_id = $1 and a.kind = $2
     )
     select count(*)::int as count
     from able
     where can
       and (
         id = any ($3)
         or cardinality($3::text[]) = 0
         or $2 = 'mail' and not exists (select 1 from able x where x.id = any ($3))
       )`,
    [workspaceId, kind, named],
  );
  return row?.count ?? 0;
}
