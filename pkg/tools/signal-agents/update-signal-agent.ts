import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { nextOf, readSchedule, updateSchedule } from '../../store/schedules/schedules.ts';
import { readAgent, type SignalAgent, updateAgent } from '../../store/signals/signal-agents.ts';
import { setSources } from '../../store/signals/signal-sources.ts';
import { invalidInput } from '../errors.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import {
  agentParams,
  changedSettings,
  givenSources,
  requireNamed,
  requireScopesOf,
  signalTypes,
  timingOf,
} from './agent-input.ts';
import { requireAgent } from './agent-row.ts';

export const updateSignalAgent = tool({
  name: 'svc_update_signal_agent',
  domain: 'Signal Agents',
  title: 'Update signal agent',
  description: 'Changes given fields of an agent; takes effect at its next run. Next: svc_get_signal_agent.',
  example: { input: { signalAgentId: '$signalAgentId', minScore: 40 } },
  scope: 'signals:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    signalAgentId: z.string().min(1),
    name: z.string().min(1).max(120).optional(),
    signalTypes: signalTypes.optional(),
    ...agentParams,
  }),
  output: z.object({ signalAgentId: z.string(), updatedAt: z.string() }),
  async run(ctx, change) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const agent = await requireAgent(tx, change.signalAgentId, true);
      requireScopesOf(ctx, change, agent);
      await requireNamed(tx, agent.workspaceId, change);
      if (change.signalTypes?.length === 0) throw invalidInput('signalTypes', 'names at least one type');
      await moveTimes(tx, agent, change, now);
      await updateAgent(tx, agent.id, changedSettings(agent, change), now);
      const sources = await givenSources(tx, agent.workspaceId, change);
      const of = { id: agent.id, workspaceId: agent.workspaceId, now };
      if (sources)
        await setSources(
          tx,
          of,
          sources.map((one) => ({ ...one, id: ctx.ids.uuid() })),
        );
      const after = await readAgent(tx, agent.id);
      return { signalAgentId: agent.id, updatedAt: iso(after?.updatedAt ?? now) };
    });
  },
});

/** Name and times are the schedule's. */
async function moveTimes(
  tx: Tx,
  agent: SignalAgent,
  change: { name?: string | undefined; schedule?: string | undefined },
  now: number,
): Promise<void> {
  if (change.name === undefined && change.schedule === undefined) return;
  const known = await readSchedule(tx, agent.id, true);
  if (!known) return;
  const timing = timingOf(change.schedule ?? agent.cron, agent.timezone, now);
  const next = change.schedule !== undefined && agent.active ? nextOf(timing, agent.id, now) : known;
  const { nextFor, nextAt } = next;
  await updateSchedule(tx, { ...known, timing, name: change.name ?? known.name, nextFor, nextAt });
  if (nextAt !== null) await wakeWorkspace(tx, agent.workspaceId, nextAt, 'a signal agent was changed');
}
