import { z } from 'zod';
import { dateOfDay, localTime } from '../../domain/local-time.ts';
import type { Tx } from '../../postgres/database.ts';
import { agentsOf } from '../../store/signals/signal-agents.ts';
import { sourcesOf } from '../../store/signals/signal-sources.ts';
import { detailParam, shaper } from '../compact.ts';
import { requireCampaignOf } from '../lead-lists/list-row.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { AGENT_FORM, agentOf, listedAgent } from './agent-row.ts';

export const listSignalAgents = tool({
  name: 'svc_list_signal_agents',
  domain: 'Signal Agents',
  title: 'List signal agents',
  description: "Lists signal agents with status and yesterday's yield. Next: svc_get_signal_agent.",
  example: { input: { status: 'paused' } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    campaignId: z.string().min(1).optional(),
    status: z.enum(['active', 'paused']).optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ signalAgents: z.array(listedAgent), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const { campaignId, status, detail } = input;
    const active = status === undefined ? null : status === 'active';
    const shape = shaper(AGENT_FORM, { detail });
    return ctx.tx(async (tx) => {
      await requireCampaignOf(tx, campaignId, workspaceId);
      const of = { workspaceId, campaignId: campaignId ?? null, active };
      const page = await pageOf(
        ctx,
        'svc_list_signal_agents',
        input,
        of,
        (after, limit) => agentsOf(tx, of, { after, limit }),
        (row) => [row.createdAt, row.id],
      );
      const found = await foundYesterday(tx, workspaceId, ctx.clocks.product.now());
      const ids = page.rows.map((agent) => agent.id);
      const sources = Map.groupBy(await sourcesOf(tx, ids), (source) => source.agentId);
      const signalAgents = page.rows.map((agent) => ({
        ...shape(agentOf(agent, undefined, sources.get(agent.id) ?? [])),
        signalAgentId: agent.id,
        enqueuedYesterday: found.get(agent.id) ?? 0,
      }));
      return { signalAgents, nextCursor: page.nextCursor };
    });
  },
});

/** Leads by agent that were enqueued on the day before this one, of the workspace. */
async function foundYesterday(tx: Tx, workspaceId: string, now: number): Promise<Map<string, number>> {
  const zone = await tx.row<{ timezone: string }>('select timezone from workspace where id = $1', [workspaceId]);
  const day = dateOfDay(localTime(now, zone?.timezone ?? 'UTC').dayNumber - 1);
  const rows = await tx.rows<{ id: string; leads: number }>(
    'select agent_id as id, leads from signal_agent_day where workspace_id = $1 and day = $2 limit 1000',
    [workspaceId, day],
  );
  return new Map(rows.map((row) => [row.id, row.leads]));
}
