import { z } from 'zod';
import { stopRunsOf } from '../../store/schedules/scheduled-runs.ts';
import { switchSchedule } from '../../store/schedules/schedules.ts';
import { notePause } from '../../store/signals/signal-agents.ts';
import { tool } from '../tool.ts';
import { requireAgent } from './agent-row.ts';

export const pauseSignalAgent = tool({
  name: 'svc_pause_signal_agent',
  domain: 'Signal Agents',
  title: 'Pause signal agent',
  description: "Stops an agent's runs; nothing queued is lost. Next: svc_resume_signal_agent.",
  example: { input: { signalAgentId: '$signalAgentId' } },
  scope: 'signals:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ signalAgentId: z.string().min(1) }),
  output: z.object({ signalAgentId: z.string(), status: z.string() }),
  async run(ctx, { signalAgentId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      // A batch under way comes to its end first: what it enqueued is enqueued.
      const agent = await requireAgent(tx, signalAgentId, true);
      if (agent.active) {
        await switchSchedule(tx, agent.id, null);
        await notePause(tx, agent.id, now);
      }
      await stopRunsOf(tx, agent.id, now, 'stopped: the agent was paused');
      return { signalAgentId, status: 'paused' };
    });
  },
});
