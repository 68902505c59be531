import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { nextOf, switchSchedule } from '../../store/schedules/schedules.ts';
import { agentStops } from '../../store/signals/agent-stops.ts';
import { noteResume, readAgent } from '../../store/signals/signal-agents.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { requireAgent } from './agent-row.ts';

/** What of a pause is made up for. Source: catalog svc_resume_signal_agent. */
const BACKLOG_MS = 86_400_000;

export const resumeSignalAgent = tool({
  name: 'svc_resume_signal_agent',
  domain: 'Signal Agents',
  title: 'Resume signal agent',
  description:
    'Starts a paused agent; the backlog of the pause is not replayed beyond one day. Next: svc_get_signal_agent_stats.',
  example: { input: { signalAgentId: '$signalAgentId' }, after: ['svc_update_workflow_status'] },
  scope: 'signals:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ signalAgentId: z.string().min(1) }),
  output: z.object({ signalAgentId: z.string(), status: z.string(), nextRunAt: z.string() }),
  async run(ctx, { signalAgentId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const agent = await requireAgent(tx, signalAgentId, true);
      const stop = await agentStops(tx, agent);
      if (stop !== null) throw new UserError(`${stop.slice(0, 1).toUpperCase()}${stop.slice(1)}`, 'WrongState');
      if (!agent.active) {
        const next = nextOf({ kind: 'cron', cron: agent.cron, timezone: agent.timezone }, agent.id, now);
        await switchSchedule(tx, agent.id, next);
        // An agent that never was active begins with what is on record.
        await noteResume(tx, agent, { since: agent.pausedAt === null ? null : now - BACKLOG_MS, now });
        if (next.nextAt !== null) await wakeWorkspace(tx, agent.workspaceId, next.nextAt, 'a signal agent was resumed');
      }
      const after = await readAgent(tx, agent.id);
      return { signalAgentId, status: 'active', nextRunAt: iso(after?.nextFor ?? now) };
    });
  },
});
