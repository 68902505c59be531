import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Catalog record EnrichmentJob. */
const enrichmentJob = z.object({
  enrichmentJobId: z.string(),
  kind: z.string(),
  status: z.string(),
  total: z.number(),
  found: z.number(),
  notFound: z.number(),
  failed: z.number(),
  creditsHeld: z.number(),
  creditsSettled: z.number(),
  creditsReleased: z.number(),
  createdAt: z.string(),
  finishedAt: z.string().nullable(),
  error: z.string().optional(),
});

/** Jobs that fill leads and companies; those of a server that is newer than this one are not told. */
const KINDS = ['lead_scrape', 'lead_enrich', 'company_enrich'];

interface Row {
  id: string;
  kind: string;
  status: string;
  total: number | null;
  found: number | null;
  not_found: number | null;
  failed: number | null;
  held: number | null;
  settled: number | null;
  released: number | null;
  created_at: number;
  finished_at: number | null;
  error: string | null;
}

export const getEnrichmentStatus = tool({
  name: 'svc_get_enrichment_status',
  domain: 'Enrichment',
  title: 'Get enrichment status',
  description:
    'Reads one enrichment job (found, not found, credits settled and refunded), or the latest jobs without an ID. Next: svc_search_leads.',
  example: { input: { enrichmentJobId: '$enrichmentJobId' } },
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    enrichmentJobId: z.string().min(1).optional(),
    ...pageParams,
  }),
  output: z.object({ jobs: z.array(enrichmentJob), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { enrichmentJobId: id } = input;
    if (id !== undefined && !isUuid(id)) throw notFound('enrichmentJob', id);
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_get_enrichment_status',
        input,
        { workspaceId: ctx.workspaceId, enrichmentJobId: id },
        (position, fetch) =>
          tx.rows<Row>(
            `select
               j.id, j.kind, j.status, (j.work ->> 'total')::int as total, (j.work ->> 'found')::int as found,
               (j.work ->> 'notFound')::int as not_found, (j.work ->> 'failed')::int as failed,
               case when h.state = 'held' then h.amount else 0 end as held, h.settled,
               case when h.state = 'held' then 0 else h.amount - h.settled end as released,
               j.created_at, j.finished_at, j.error
             from background_job j
             left join credit_hold h on h.id = j.hold_id
             where j.workspace_id = $1 and j.kind = any ($6) and ($2::uuid is null or j.id = $2)
               and ($3::bigint is null or (j.created_at, j.id) < ($3, $4::uuid))
             order by j.created_at desc, j.id desc limit $5`,
            [ctx.workspaceId, id ?? null, position?.[0] ?? null, position?.[1] ?? null, fetch, KINDS],
          ),
        (row) => [row.created_at, row.id],
      ),
    );
    if (id !== undefined && page.rows.length === 0) throw notFound('enrichmentJob', id);
    return { jobs: page.rows.map(jobOf), nextCursor: page.nextCursor };
  },
});

function jobOf(row: Row): z.input<typeof enrichmentJob> {
  return {
    enrichmentJobId: row.id,
    kind: row.kind,
    status: row.status,
    total: row.total ?? 0,
    found: row.found ?? 0,
    notFound: row.not_found ?? 0,
    failed: row.failed ?? 0,
    creditsHeld: row.held ?? 0,
    creditsSettled: row.settled ?? 0,
    creditsReleased: row.released ?? 0,
    createdAt: iso(row.created_at),
    finishedAt: isoOrNull(row.finished_at),
    ...(row.error === null ? {} : { error: row.error }),
  };
}
