import { z } from 'zod';
import { EXCLUSION_KINDS, STORED_KINDS } from '../../domain/exclusion-value.ts';
import { SUPPRESSION_SOURCES, type SuppressionSource } from '../../domain/suppression.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { EXCLUSION_FORM, EXCLUSIONS, type ExclusionRow, exclusionOf, listedExclusion } from './exclusion-record.ts';
import { requireSignalAgent } from './require-agent.ts';

const SOURCES = Object.keys(SUPPRESSION_SOURCES) as SuppressionSource[];

const QUERY = `select *
  from ${EXCLUSIONS} t
  where ($3::text is null or t.kind in ($4, 'person') and t.shown_kind = $3)
    and ($5::text is null or t.source = $5)
    and ($6::text is null or t.signal_agent_id = $6)
    and ($7::text is null or t.shown_value ilike $7 or t.reason ilike $7 or t.full_name ilike $7)
    and ($8::bigint is null or (t.created_at, t.id) < ($8, $9::uuid))
  order by t.created_at desc, t.id desc limit $10`;

export const listSignalExclusions = tool({
  name: 'svc_list_signal_exclusions',
  domain: 'Signal Exclusions',
  title: 'List exclusions',
  description:
    'Lists excluded people, companies, domains and keywords with source and reason, unsubscribes, bounces and erasures among them. Next: svc_check_signal_exclusion.',
  example: { input: { source: 'manual' } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    kind: z.enum(EXCLUSION_KINDS).optional(),
    source: z.enum(SOURCES).optional(),
    signalAgentId: z.string().min(1).optional(),
    query: z.string().max(200).optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ signalExclusions: z.array(listedExclusion), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { kind, source, signalAgentId, query } = input;
    const now = ctx.clocks.product.now();
    const page = await ctx.tx(async (tx) => {
      if (signalAgentId !== undefined) await requireSignalAgent(tx, ctx.workspaceId, signalAgentId);
      return pageOf(
        ctx,
        'svc_list_signal_exclusions',
        input,
        { workspaceId: ctx.workspaceId, kind, source, signalAgentId, query },
        (position, fetch) =>
          tx.rows<ExclusionRow>(QUERY, [
            ctx.workspaceId,
            now,
            kind ?? null,
            kind === undefined ? null : STORED_KINDS[kind],
            source ?? null,
            signalAgentId ?? null,
            query === undefined ? null : `%${query.replace(/[\\%_]/g, '\\$&')}%`,
            position?.[0] ?? null,
            position?.[1] ?? null,
            fetch,
          ]),
        (row) => [row.created_at, row.id],
      );
    });
    const shape = shaper(EXCLUSION_FORM, input);
    return {
      signalExclusions: page.rows.map((row) => ({ ...shape(exclusionOf(row)), signalExclusionId: row.id })),
      nextCursor: page.nextCursor,
    };
  },
});
