import { z } from 'zod';
import { MATCHED_OUTCOMES, type SignalOutcome } from '../../domain/signals/agent-rules.ts';
import type { Tx } from '../../postgres/database.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import { invalidInput } from '../errors.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import { requireAgent } from './agent-row.ts';

/** Catalog record SignalAgentStats: every signal seen has one outcome, so that the outcomes add up to signalsSeen. */
const stats = z.object({
  signalsSeen: z.number().describe('Signals and persons, each counted once.'),
  matched: z.number().describe('Of them those who match the rules of the agent: expired to enqueued.'),
  noLead: z.number(),
  selfCaused: z.number(),
  notMatched: z.number(),
  expired: z.number(),
  excluded: z.number(),
  duplicates: z.number(),
  contacted: z.number(),
  belowScore: z.number(),
  limited: z.number(),
  enqueued: z.number(),
  replied: z.number(),
  positive: z.number(),
  creditsSpent: z.number(),
  skippedWhilePaused: z.number().describe('Of all pauses: signals that are older than a day when it goes on.'),
});

export const getSignalAgentStats = tool({
  name: 'svc_get_signal_agent_stats',
  domain: 'Signal Agents',
  title: 'Get signal agent stats',
  description:
    'Signals seen, leads matched, excluded, enqueued, replies and credits over a period. Next: svc_list_signal_agent_leads.',
  example: { input: { signalAgentId: '$signalAgentId', fromDate: '2026-03-01T00:00:00Z' } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    signalAgentId: z.string().min(1),
    fromDate: dateTime.optional(),
    toDate: dateTime.optional(),
  }),
  output: z.object({ signalAgentId: z.string(), stats }),
  async run(ctx, { signalAgentId, fromDate, toDate }) {
    const from = fromDate === undefined ? 0 : Date.parse(fromDate);
    const to = toDate === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(toDate);
    if (to <= from) throw invalidInput('toDate', 'is not after fromDate');
    return ctx.tx(async (tx) => {
      const agent = await requireAgent(tx, signalAgentId);
      return { signalAgentId, stats: await read(tx, agent, from, to) };
    });
  },
});

async function read(tx: Tx, agent: SignalAgent, from: number, to: number): Promise<z.input<typeof stats>> {
  const rows = await tx.rows<{ outcome: SignalOutcome; count: number; credits: number }>(
    `select outcome, count(*)::int as count, sum(credits)::int as credits
     from signal_decision
     where agent_id = $1 and decided_at >= $2 and decided_at < $3
     group by outcome`,
    [agent.id, from, to],
  );
  const of = (...outcomes: readonly SignalOutcome[]): number =>
    rows.reduce((sum, row) => (outcomes.includes(row.outcome) ? sum + row.count : sum), 0);
  return {
    signalsSeen: rows.reduce((sum, row) => sum + row.count, 0),
    matched: of(...MATCHED_OUTCOMES),
    noLead: of('no_lead'),
    selfCaused: of('self_caused'),
    notMatched: of('not_matched'),
    expired: of('expired'),
    excluded: of('excluded'),
    duplicates: of('duplicate'),
    contacted: of('contacted'),
    belowScore: of('below_score'),
    limited: of('lead_limit', 'credit_limit'),
    enqueued: of('enqueued'),
    ...(await repliesOf(tx, agent, from, to)),
    creditsSpent: rows.reduce((sum, row) => sum + row.credits, 0),
    skippedWhilePaused: agent.skippedWhilePaused,
  };
}

/** Of those who were enqueued in the period, whenever they replied. */
async function repliesOf(
  tx: Tx,
  agent: SignalAgent,
  from: number,
  to: number,
): Promise<{ replied: number; positive: number }> {
  const row = await tx.row<{ replied: number; positive: number }>(
    `select
       count(*) filter (where x.replied)::int as replied,
       count(*) filter (where x.positive)::int as positive
     from (
       select bool_or(true) as replied, bool_or(e.data ->> 'class' = 'positive') as positive
       from signal_decision d
       join run_event e on e.run_id = d.run_id and e.kind = 'reply.received'
       where d.agent_id = $1
         and d.outcome = 'enqueued'
         and d.decided_at >= $2
         and d.decided_at < $3
         and e.workspace_id = $4
       group by d.run_id
     ) x`,
    [agent.id, from, to, agent.workspaceId],
  );
  return { replied: row?.replied ?? 0, positive: row?.positive ?? 0 };
}
