import { z } from 'zod';
import { signalPoints, signalRulesOf } from '../../domain/signal-score.ts';
import type { Tx } from '../../postgres/database.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { requireSignal, type SignalRow, signalOf, signalRecord } from './signal-row.ts';

/** Catalog record SignalContribution: points today, and the points that they have faded from. */
const signalContribution = z.object({ campaignId: z.string(), points: z.number(), decayedFrom: z.number() });

/** Campaigns told at most. */
const MOST = 100;

export const getSignal = tool({
  name: 'svc_get_signal',
  domain: 'Signals',
  title: 'Get signal',
  description: 'Reads one signal with its evidence and the score it adds per campaign today. Next: svc_get_lead.',
  example: { input: { signalId: '$signalId' } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ signalId: z.string().min(1), workspaceId: workspaceParam }),
  output: z.object({ signal: signalRecord, contributions: z.array(signalContribution) }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const row = await requireSignal(tx, ctx.workspaceId, input.signalId);
      return { signal: signalOf(row, now), contributions: await contributionsOf(tx, ctx.workspaceId, row, now) };
    });
  },
});

/** What it adds in each campaign of the workspace that scores the lead, or leads of the company. */
async function contributionsOf(
  tx: Tx,
  workspaceId: string,
  signal: SignalRow,
  now: number,
): Promise<z.input<typeof signalContribution>[]> {
  const campaigns = await tx.rows<{ id: string; settings: Parameters<typeof signalRulesOf>[0] }>(
    `select c.id, c.settings
     from campaign c
     where c.workspace_id = $1
       and c.deleted_at is null
       and exists (
         select 1
         from lead_score s
         where s.campaign_id = c.id
           and (
             s.lead_id = $2 or $2::uuid is null and s.lead_id in (select l.id from lead l where l.company_id = $3)
           )
       )
     order by c.created_at, c.id limit ${MOST}`,
    [workspaceId, signal.lead_id, signal.company_id],
  );
  return campaigns.map(({ id, settings }) => {
    const weight = signalRulesOf(settings).weights[signal.type] ?? { points: 0, windowDays: 1 };
    const points = Math.round(signalPoints(signal.occurred_at, now, weight) * 100) / 100;
    return { campaignId: id, points, decayedFrom: weight.points };
  });
}
