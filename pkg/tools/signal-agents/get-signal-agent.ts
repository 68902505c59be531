import { z } from 'zod';
import { lastRuns } from '../../store/schedules/scheduled-runs.ts';
import { sourcesOf } from '../../store/signals/signal-sources.ts';
import { tool } from '../tool.ts';
import { agentOf, requireAgent, signalAgentRecord } from './agent-row.ts';

export const getSignalAgent = tool({
  name: 'svc_get_signal_agent',
  domain: 'Signal Agents',
  title: 'Get signal agent',
  description: 'Reads one agent with its rules, playbook and last run. Next: svc_get_signal_agent_stats.',
  example: { input: { signalAgentId: '$signalAgentId' } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ signalAgentId: z.string().min(1) }),
  output: z.object({ signalAgent: signalAgentRecord }),
  async run(ctx, { signalAgentId }) {
    return ctx.tx(async (tx) => {
      const agent = await requireAgent(tx, signalAgentId);
      const [last] = await lastRuns(tx, agent.id, 1);
      return { signalAgent: agentOf(agent, last, await sourcesOf(tx, [agent.id])) };
    });
  },
});
