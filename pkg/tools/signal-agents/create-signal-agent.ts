import { z } from 'zod';
import { NO_CRITERIA } from '../../domain/signals/agent-rules.ts';
import { insertSchedule } from '../../store/schedules/schedules.ts';
import { type AgentSettings, insertAgent, lockAgentsOf, readAgent } from '../../store/signals/signal-agents.ts';
import { setSources } from '../../store/signals/signal-sources.ts';
import { wrongState } from '../errors.ts';
import { requireCampaignOf } from '../lead-lists/list-row.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import {
  agentParams,
  changedSettings,
  givenSources,
  requireNamed,
  requireScopesOf,
  signalTypes,
  timingOf,
} from './agent-input.ts';

/** Agents that a workspace has at most. */
const MOST = 200;
/** On working days, before anybody works. Source: catalog svc_create_signal_agent. */
const USUAL = '0 6 * * 1-5';

const NEW: AgentSettings = {
  signalTypes: [],
  criteria: NO_CRITERIA,
  workflowId: null,
  networkAccountId: null,
  minScore: null,
  dailyLeadLimit: 25,
  dailyCreditLimit: null,
  playbook: '',
  handleReplies: false,
  judge: '',
};

export const createSignalAgent = tool({
  name: 'svc_create_signal_agent',
  domain: 'Signal Agents',
  title: 'Create signal agent',
  description:
    'Creates a paused agent that watches for signals and enqueues matching leads into a workflow. Next: svc_run_signal_agent (dryRun), then svc_resume_signal_agent.',
  example: {
    input: { name: 'New CTOs', signalTypes: ['job_change'], criteria: { titles: ['CTO'] }, workflowId: '$workflowId' },
    keep: { signalAgentId: 'signalAgentId' },
  },
  scope: 'signals:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    campaignId: z.string().min(1).optional(),
    name: z.string().min(1).max(120),
    signalTypes: signalTypes.min(1),
    ...agentParams,
  }),
  output: z.object({ signalAgentId: z.string(), status: z.string() }),
  stands: async (tx, { signalAgentId }) => (await readAgent(tx, signalAgentId)) !== undefined,
  async run(ctx, request) {
    const now = ctx.clocks.product.now();
    const { workspaceId } = ctx;
    requireScopesOf(ctx, request);
    return ctx.create(workspaceId, async (tx) => {
      await requireCampaignOf(tx, request.campaignId, workspaceId);
      await requireNamed(tx, workspaceId, request);
      if ((await lockAgentsOf(tx, workspaceId)) >= MOST)
        throw wrongState(`A workspace has ${MOST} signal agents at most`, 'svc_delete_signal_agent');
      const zone = await tx.row<{ timezone: string }>('select timezone from workspace where id = $1', [workspaceId]);
      const timing = timingOf(request.schedule ?? USUAL, zone?.timezone ?? 'UTC', now);
      const id = ctx.ids.uuid();
      await insertSchedule(tx, {
        id,
        workspaceId,
        kind: 'signal_agent',
        campaignId: request.campaignId ?? null,
        name: request.name,
        settings: {},
        timing,
        enabled: false,
        nextFor: null,
        nextAt: null,
        createdAt: now,
      });
      await insertAgent(tx, { ...changedSettings(NEW, request), id, workspaceId, now });
      const sources = await givenSources(tx, workspaceId, request);
      if (sources)
        await setSources(
          tx,
          { id, workspaceId, now },
          sources.map((one) => ({ ...one, id: ctx.ids.uuid() })),
        );
      return { signalAgentId: id, status: 'paused' };
    });
  },
});
