import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { recordImport } from '../../store/leads/imports.ts';
import { invalidInput } from '../errors.ts';
import { naturalKeyParam } from '../key-params.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { importInParts } from './csv/import-in-parts.ts';
import { asManyAsFit, asSpreadsheet, type Imported, MAX_ERRORS, MAX_KEPT } from './csv/import-request.ts';
import { PART_ROWS, sourceOf } from './csv/import-source.ts';
import { importUpload, uploadAddress } from './csv/import-upload.ts';
import { withoutCell } from './csv/lead-of-row.ts';
import { ImportPlanner } from './csv/plan-import.ts';
import { type ImportFile, readFile } from './csv/read-file.ts';
import { rehearse } from './csv/rehearse.ts';
import { storeRows } from './csv/store-rows.ts';
import { EXAMPLE_CSV } from './example-csv.ts';

/** A client whose file is missing means no address, which would be one of ten. */
const NO_FILE = 'null is no file. Leave csv out for an address that takes one';

const input = z.strictObject({
  workspaceId: workspaceParam,
  csv: z
    .string({ error: ({ input }) => (input === null ? NO_FILE : undefined) })
    .min(1)
    .max(5_242_880)
    .optional()
    .describe('UTF-8 text with a header row; up to 10,000 rows.'),
  csvUrl: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('The uploadUrl to which the file was PUT. Without csv and csvUrl the answer is such a URL.'),
  mapping: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('CSV column -> lead field or customFields.<name>; unmapped known headers are matched by name.'),
  leadListId: z.string().min(1).optional(),
  campaignId: z.string().min(1).optional(),
  onDuplicate: z.enum(['skip', 'fill_empty', 'overwrite']).default('fill_empty'),
  tags: z.array(z.string()).max(20).optional(),
  sourceNote: z.string().max(500).optional().describe('Where the data came from; kept as provenance.'),
  dryRun: z.boolean().default(false).describe('Report what would happen, write nothing.'),
  idempotencyKey: naturalKeyParam,
});
type Request = z.output<typeof input>;

export const importLeadsCsv = tool({
  name: 'svc_import_leads_csv',
  domain: 'Leads',
  title: 'Import leads from CSV',
  description:
    "Imports rows as private leads with column mapping, de-duplication and suppression check; use for the client's own data. Next: svc_get_import_progress, then svc_trigger_icp_scoring.",
  example: {
    input: { csv: EXAMPLE_CSV, leadListId: '$leadListId', tags: ['fair'] },
    keep: { importId: 'importId' },
    other: { tags: ['other'] },
  },
  scope: 'leads:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({
    importId: z.string().optional(),
    status: z.string().describe('completed, dry_run, or awaiting_upload: PUT the file to uploadUrl.'),
    created: z.number(),
    updated: z.number(),
    skipped: z.number(),
    suppressed: z.number(),
    excluded: z.number().describe('Leads that the file itself says must not be contacted.'),
    errors: z
      .array(
        z.object({
          row: z.number(),
          line: z.number(),
          field: z.string().nullable(),
          message: z.string(),
          skipped: z.literal(true).optional().describe('The row was not imported for it.'),
        }),
      )
      .describe(`The first ${MAX_ERRORS}, by line.`),
    columns: z
      .array(z.object({ column: z.string(), target: z.string().nullable() }))
      .optional()
      .describe('Of a dry run: where each column goes; null: nowhere.'),
    uploadUrl: z.string().optional().describe('Takes one file, once; then call again with it as csvUrl.'),
    expiresAt: z.string().optional(),
    maxBytes: z.number().optional(),
    maxRows: z.number().optional(),
  }),
  async run(ctx, request) {
    const { csv, csvUrl } = request;
    if (csv !== undefined && csvUrl !== undefined) throw invalidInput('csvUrl', 'give csv or csvUrl, not both');
    if (csvUrl !== undefined) return importUpload(ctx, request, csvUrl);
    if (csv === undefined) return uploadAddress(ctx);
    const file = await readFile(ctx, { ...request, csv });
    step(ctx, 1, `${file.leads.length} rows read`);
    if (request.dryRun) {
      const would = await rehearse(ctx, (tx) => importAll(ctx, tx, request, file));
      return { ...would, columns: file.mapped };
    }
    if (file.leads.length > PART_ROWS) return importInParts(ctx, request, sourceOf(file));
    return ctx.repeatable<Imported>(ctx.workspaceId, {
      work: (tx, earlier) => importAll(ctx, tx, request, file, earlier),
      did: () => true,
    });
  },
});

const STEPS = 4;

/** Says how far the import is, and ends it, with all it wrote, when nobody waits for it any more. */
function step(ctx: ToolContext, done: number, message: string): void {
  ctx.signal.throwIfAborted();
  ctx.progress(done, STEPS, message);
}

/**
 * Made again (`earlier`), it finds its leads there: it puts them where the file wants them, whatever was changed meanwhile, and is no second
 * import unless it made somebody.
 */
async function importAll(
  ctx: ToolContext,
  tx: Tx,
  request: Request,
  { leads, problems, columns, notes, sheetRows }: ImportFile,
  earlier?: Imported,
): Promise<Imported> {
  const stored = await storeRows(ctx, tx, request, leads, new ImportPlanner(request.onDuplicate));
  step(ctx, 3, 'leads written');
  if (earlier && stored.created === 0) return earlier;
  const all = [...problems, ...stored.problems].sort((a, b) => a.row - b.row);
  const skipped = all.length;
  const { created, updated, suppressed, excluded } = stored;
  const said = [...columns, ...notes, ...stored.notes, ...all];
  const errors = asManyAsFit(said).map((one) => asSpreadsheet(one, sheetRows));
  const counts = { created, updated, skipped, suppressed, excluded };
  const answer = { importId: ctx.ids.uuid(), status: 'completed', ...counts, errors };
  await record(ctx, tx, request, answer);
  step(ctx, STEPS, 'done');
  return answer;
}

async function record(ctx: ToolContext, tx: Tx, request: Request, answer: Imported): Promise<void> {
  const { importId, created, updated, skipped, suppressed, excluded, errors } = answer;
  await recordImport(tx, {
    id: importId,
    workspaceId: ctx.workspaceId,
    keyId: ctx.caller.keyId,
    total: created + updated + skipped,
    created,
    updated,
    skipped,
    suppressed,
    excluded,
    errors: errors.slice(0, MAX_KEPT).map(withoutCell),
    sourceNote: request.sourceNote ?? null,
    now: ctx.clocks.product.now(),
  });
}
