import { z } from 'zod';
import { stopRunsOf } from '../../store/schedules/scheduled-runs.ts';
import { deleteSchedule } from '../../store/schedules/schedules.ts';
import { stopFound } from '../../store/signals/stop-found.ts';
import { tool } from '../tool.ts';
import { requireAgent } from './agent-row.ts';

export const deleteSignalAgent = tool({
  name: 'svc_delete_signal_agent',
  domain: 'Signal Agents',
  title: 'Delete signal agent',
  description:
    'Deletes an agent; leads it enqueued go on, its conversations fall back to the workspace playbook. Next: svc_list_signal_agents.',
  example: { input: { signalAgentId: '$signalAgentId' } },
  scope: 'signals:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ signalAgentId: z.string().min(1), stopRuns: z.boolean().default(false) }),
  output: z.object({ signalAgentId: z.string(), deleted: z.boolean() }),
  async run(ctx, { signalAgentId, stopRuns }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const agent = await requireAgent(tx, signalAgentId, true);
      await stopRunsOf(tx, agent.id, now, 'stopped: the agent was deleted');
      await deleteSchedule(tx, agent.id, now);
      if (stopRuns) await stopFound(tx, agent, now);
      return { signalAgentId, deleted: true };
    });
  },
});
