import { z } from 'zod';
import { SIGNAL_TYPES } from '../../domain/condition.ts';
import type { Tx } from '../../postgres/database.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { detailParam, shaper } from '../compact.ts';
import { requireCompany } from '../companies/company-row.ts';
import { pageOf, pageParams } from '../paging.ts';
import { requireLead } from '../records/lead.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { listedSignal, NAMED_SIGNALS, SIGNAL_FORM, type SignalRow, signalOf } from './signal-row.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  campaignId: z.string().min(1).optional(),
  leadId: z.string().min(1).optional(),
  companyId: z.string().min(1).optional(),
  types: z.array(z.enum(SIGNAL_TYPES)).optional(),
  detectedSince: dateTime.optional(),
  includeExpired: z.boolean().default(false),
  ...detailParam,
  ...pageParams,
});
type Request = z.output<typeof input>;

export const listSignals = tool({
  name: 'svc_list_signals',
  domain: 'Signals',
  title: 'List signals',
  description:
    'Lists live signals of leads and companies with evidence, points and expiry. Next: svc_get_signal or svc_get_signal_weights.',
  example: { input: { campaignId: '$campaignId', types: ['job_change'] } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({ signals: z.array(listedSignal), nextCursor: z.string().nullable() }),
  async run(ctx, asked) {
    const now = ctx.clocks.product.now();
    const { limit: _, cursor: __, workspaceId: ___, detail, ...filters } = asked;
    const shape = shaper(SIGNAL_FORM, { detail });
    const page = await ctx.tx(async (tx) => {
      await requireSubjects(ctx, tx, asked, now);
      return pageOf(
        ctx,
        'svc_list_signals',
        asked,
        { workspaceId: ctx.workspaceId, ...filters },
        (position, fetch) => tx.rows<SignalRow>(QUERY, valuesOf(ctx, asked, now, position, fetch)),
        (row) => [row.detected_at, row.id],
      );
    });
    const signals = page.rows.map((row) => ({ ...shape(signalOf(row, now)), signalId: row.id }));
    return { signals, nextCursor: page.nextCursor };
  },
});

/** A campaign's signals are those of leads that have a score in it, and of their companies; asked row by row (`limit 1`). */
const part = (tenant: string): string => `(
                                            select s.id, s.detected_at
                                            from signal s
                                            where ${tenant}
                                              and (
                                                $2::text is null
                                                or (
                                                  select true
                                                  from lead_score x
                                                  where x.campaign_id = $2
                                                    and x.lead_id = s.lead_id
                                                  limit 1
                                                )
                                                or s.lead_id is null
                                                  and (
                                                    select true
                                                    from lead l
                                                    join lead_score x on x.lead_id = l.id and x.campaign_id = $2
                                                    where l.company_id = s.company_id
                                                    limit 1
                                                  )
                                              )
                                              and ($3::uuid is null or s.lead_id = $3)
                                              and ($4::uuid is null or s.company_id = $4)
                                              and ($5::text[] is null or s.type = any ($5))
                                              and ($11::text is null or s.type = $11)
                                              and ($6::bigint is null or s.detected_at >= $6)
                                              and ($7::bigint is null or s.expires_at > $7)
                                              and ($8::bigint is null or (s.detected_at, s.id) < ($8, $9::uuid))
                                            order by s.detected_at desc, s.id desc limit $10
                                          )`;

/** The workspace's own and the shared ones, each in the order of an index. */
const QUERY = `select ${NAMED_SIGNALS} where s.id = any (array(
    select u.id from (${part('s.workspace_id = $1')} union all ${part('s.workspace_id is null')}) u
    order by u.detected_at desc, u.id desc limit $10))
  order by s.detected_at desc, s.id desc`;

function valuesOf(
  ctx: ToolContext,
  asked: Request,
  now: number,
  position: readonly (string | number | null)[] | null,
  fetch: number,
): unknown[] {
  const types = asked.types ?? [];
  return [
    ctx.workspaceId,
    asked.campaignId ?? null,
    asked.leadId ?? null,
    asked.companyId ?? null,
    types.length > 1 ? types : null,
    asked.detectedSince === undefined ? null : Date.parse(asked.detectedSince),
    asked.includeExpired ? null : now,
    position?.[0] ?? null,
    position?.[1] ?? null,
    fetch,
    types.length === 1 ? types[0] : null,
  ];
}

async function requireSubjects(ctx: ToolContext, tx: Tx, asked: Request, now: number): Promise<void> {
  if (asked.campaignId !== undefined) await requireCampaign(tx, asked.campaignId);
  if (asked.leadId !== undefined) await requireLead(tx, { workspaceId: ctx.workspaceId, leadId: asked.leadId, now });
  if (asked.companyId !== undefined) await requireCompany(tx, ctx.workspaceId, asked.companyId);
}
