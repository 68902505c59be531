import { z } from 'zod';
import { LIMIT_OUTCOMES, type SignalOutcome } from '../../domain/signals/agent-rules.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import {
  AGENT_LEAD_FORM,
  agentLeadOf,
  agentLeads,
  listedAgentLead,
  SHOWN_OUTCOMES,
  type ShownOutcome,
} from './agent-lead.ts';
import { requireAgent } from './agent-row.ts';

export const listSignalAgentLeads = tool({
  name: 'svc_list_signal_agent_leads',
  domain: 'Signal Agents',
  title: 'List signal agent leads',
  description:
    'Lists the leads an agent found, the signal behind each and what became of it (enqueued, excluded, duplicate, below score). Next: svc_get_lead.',
  example: { input: { signalAgentId: '$signalAgentId', outcome: 'enqueued' } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    signalAgentId: z.string().min(1),
    outcome: z.enum(SHOWN_OUTCOMES).optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ leads: z.array(listedAgentLead), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { signalAgentId, outcome = null } = input;
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const agent = await requireAgent(tx, signalAgentId);
      const outcomes = outcome === null ? null : storedOutcomes(outcome);
      const page = await pageOf(
        ctx,
        'svc_list_signal_agent_leads',
        input,
        { signalAgentId, outcome },
        (after, limit) => agentLeads(tx, { agentId: agent.id, outcomes }, { after, limit }),
        (row) => [row.decided_at, row.signal_id, row.subject_id],
      );
      const shape = shaper(AGENT_LEAD_FORM, { detail: input.detail });
      const leads = page.rows.map((row) => {
        const lead = agentLeadOf(row, now);
        return { signal: lead.signal, ...shape(lead) };
      });
      return { leads, nextCursor: page.nextCursor };
    });
  },
});

function storedOutcomes(outcome: ShownOutcome): readonly SignalOutcome[] {
  return outcome === 'limit' ? LIMIT_OUTCOMES : [outcome];
}
