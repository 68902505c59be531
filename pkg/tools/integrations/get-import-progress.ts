import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { type CompactForm, cut, detailParam, shaper } from '../compact.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Catalog record Import. */
const importRecord = z.object({
  importId: z.string(),
  kind: z.string(),
  status: z.string(),
  total: z.number(),
  created: z.number(),
  updated: z.number(),
  skipped: z.number(),
  suppressed: z.number(),
  excluded: z.number(),
  failed: z.number(),
  errors: z.array(
    z.object({
      row: z.number(),
      line: z.number().optional(),
      field: z.string().nullable(),
      message: z.string(),
      skipped: z.literal(true).optional(),
    }),
  ),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
});

type Notes = z.input<typeof importRecord>['errors'];

/** An import among others: as much of it as the caller asked for. */
const listedImport = importRecord
  .partial()
  .required({ importId: true })
  .extend({ errors: z.array(importRecord.shape.errors.element.partial()).optional() });

/** Of one import among others the first note; the one that is asked for by its id tells all. */
const IMPORT_FORM: CompactForm = {
  id: 'importId',
  known: Object.keys(importRecord.shape),
  kept: Object.keys(importRecord.shape),
  short: { errors: (notes: Notes) => notes.slice(0, 1).map(({ row, message }) => ({ row, message: cut(message) })) },
};

interface Row {
  id: string;
  kind: string;
  status: string;
  total: number;
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  excluded: number;
  failed: number;
  errors: { row: number; line?: number; field: string | null; message: string; skipped?: true }[];
  started_at: number;
  finished_at: number | null;
  /** A part of it should have been stored long ago. */
  interrupted: boolean;
}

/** Real seconds without a part after which nobody works on an import of a file any more. */
const INTERRUPTED_SECONDS = 300;

export const getImportProgress = tool({
  name: 'svc_get_import_progress',
  domain: 'Integrations',
  title: 'Get import progress',
  description:
    'Reads one import (CSV, provider list, connections export), or the latest ones without an ID. Next: svc_search_leads.',
  example: { input: { importId: '$importId' } },
  scope: 'integrations:read',
  // With leads:read alone a key sees the imports that it started itself.
  partialScope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    importId: z.string().min(1).optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ imports: z.array(listedImport), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { importId } = input;
    if (importId !== undefined && !isUuid(importId)) throw notFound('import', importId);
    const startedBy = ctx.caller.scopes.has('integrations:read') ? null : ctx.caller.keyId;
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_get_import_progress',
        input,
        { workspaceId: ctx.workspaceId, importId },
        (position, fetch) =>
          tx.rows<Row>(
            `select
               *,
               status = 'running'
               and coalesce(touched_at < clock_timestamp() - interval '${INTERRUPTED_SECONDS} seconds', false)
                 as interrupted
             from lead_import where workspace_id = $1 and ($2::uuid is null or id = $2)
               and ($3::bigint is null or (started_at, id) < ($3, $4::uuid)) and ($5::text is null or key_id = $5)
             order by started_at desc, id desc limit $6`,
            [ctx.workspaceId, importId ?? null, position?.[0] ?? null, position?.[1] ?? null, startedBy, fetch],
          ),
        (row) => [row.started_at, row.id],
      ),
    );
    if (importId !== undefined && page.rows.length === 0) throw notFound('import', importId);
    const shape = shaper(IMPORT_FORM, importId === undefined ? input : { detail: 'full' });
    const imports = page.rows.map((row) => ({ ...shape(importOf(row)), importId: row.id }));
    return { imports, nextCursor: page.nextCursor };
  },
});

/** Where it was left, and how it goes on. */
function interruption({
  created,
  updated,
  skipped,
}: Pick<Row, 'created' | 'updated' | 'skipped'>): Row['errors'][number] {
  const message = `interrupted after ${created + updated + skipped} rows: call svc_import_leads_csv again, the same way and with the same key if it had one, and it goes on there`;
  return { row: 1, field: null, message };
}

function importOf({ id, started_at, finished_at, ...row }: Row): z.input<typeof importRecord> {
  const { kind, total, created, updated, skipped, suppressed, excluded, failed, interrupted } = row;
  const status = interrupted ? 'failed' : row.status;
  const errors = interrupted ? [interruption(row), ...row.errors] : row.errors;
  return {
    importId: id,
    kind,
    status,
    total,
    created,
    updated,
    skipped,
    suppressed,
    excluded,
    failed,
    errors,
    startedAt: iso(started_at),
    finishedAt: isoOrNull(finished_at),
  };
}
