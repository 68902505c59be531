import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { erasedAmong } from '../../store/erasure/erasure.ts';
import {
  addMembers,
  attachToCampaign,
  findExisting,
  type ImportLead,
  lockLeads,
  recordImport,
  tagLeads,
} from '../../store/leads/imports.ts';
import { MOST_TAGS } from '../../store/leads/lead-overlay.ts';
import { refreshLists } from '../../store/lists/lead-lists.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { invalidInput, notFound, wrongState } from '../errors.ts';
import { naturalKeyParam } from '../key-params.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { looksLikeHeader, mapColumns } from './csv/headers.ts';
import { leadOfRow, withoutCell } from './csv/lead-of-row.ts';
import { leftColumns } from './csv/left-columns.ts';
import { parseCsv } from './csv/parse-csv.ts';
import { type ImportPlan, planImport } from './csv/plan-import.ts';
import { storePlan } from './csv/store-plan.ts';
import { EXAMPLE_CSV } from './example-csv.ts';
import { MAX_CUSTOM_FIELDS } from './lead-fields.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  csv: z.string().min(1).max(5_242_880).describe('UTF-8 text with a header row.'),
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
type Problem = { row: number; field: string | null; message: string };

const ERASED = 'this person was erased in the workspace and is not imported again';

/** As the node type lead:tag allows. */
const LONGEST_TAG = 60;

/** Row errors that an answer carries: more than anybody mends at once, and less than a client can not read. All are counted. */
const MAX_ERRORS = 1_000;
/** Of those that svc_get_import_progress shows later. Source: catalog record Import. */
const MAX_KEPT = 100;

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
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({
    importId: z.string(),
    status: z.string(),
    created: z.number(),
    updated: z.number(),
    skipped: z.number(),
    suppressed: z.number(),
    errors: z
      .array(z.object({ row: z.number(), field: z.string().nullable(), message: z.string() }))
      .describe(`The first ${MAX_ERRORS}, by line.`),
  }),
  async run(ctx, request) {
    const file = readFile(ctx, request);
    step(ctx, 1, `${file.leads.length} rows read`);
    if (request.dryRun) return rehearse(ctx, (tx) => importAll(ctx, tx, request, file));
    return ctx.repeatable<Answer>(ctx.workspaceId, {
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

/** Ends a transaction whose writes nobody wants. */
class Rehearsed extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('rehearsed');
    this.answer = answer;
  }
}

/** A dry run is the import itself, rolled back: what it reports is what would happen. */
async function rehearse(ctx: ToolContext, work: (tx: Tx) => Promise<Answer>): Promise<Answer> {
  try {
    return await ctx.unrecorded(async (tx) => {
      throw new Rehearsed({ ...(await work(tx)), status: 'dry_run' });
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.answer;
    throw error;
  }
}

/** What a file says: leads, rows that give none, and notes that skip no row. */
interface ReadFile {
  leads: ImportLead[];
  problems: Problem[];
  notes: Problem[];
}

function readFile(ctx: ToolContext, request: Request): ReadFile {
  const mapping = request.mapping ?? {};
  const odd = (request.tags ?? []).findIndex((tag) => tag === '' || tag.length > LONGEST_TAG);
  if (odd >= 0) throw invalidInput(`tags.${odd}`, `must have 1 to ${LONGEST_TAG} characters`);
  const file = parseCsv(request.csv, (cells) => looksLikeHeader(cells, mapping));
  const { targets, problem } = mapColumns(file.headers, mapping);
  if (problem !== null) throw new UserError(`Invalid input: ${problem}`);
  if (targets.filter((target) => target !== null && 'custom' in target).length > MAX_CUSTOM_FIELDS) {
    throw invalidInput(
      'mapping',
      `names more than ${MAX_CUSTOM_FIELDS} custom fields, which is the most that a lead has`,
    );
  }
  const found = new Set(targets.flatMap((target) => (target && 'field' in target ? [target.field] : [])));
  const named = found.has('fullName') || (found.has('firstName') && found.has('lastName'));
  if (!found.has('email') && !found.has('profileUrl') && !(named && found.has('company'))) {
    throw new UserError(
      'Invalid input: csv: no column identifies a person (email, profileUrl, or name and company). Name them with mapping and call svc_import_leads_csv again.',
      'NoIdentity',
    );
  }
  const leads: ImportLead[] = [];
  const problems: Problem[] = [];
  for (const row of file.rows) {
    const result = leadOfRow(row, targets);
    if ('message' in result) problems.push({ row: result.line, field: result.field, message: result.message });
    else {
      const { lead } = result;
      leads.push({
        ...lead.fields,
        id: ctx.ids.uuid(),
        line: lead.line,
        profileId: lead.profileId,
        email: lead.email,
        companyKey: lead.companyKey,
        customFields: lead.customFields,
        matchKeys: lead.matchKeys,
      });
    }
  }
  return { leads, problems, notes: leftColumns(file, targets) };
}

/**
 * Made again (`earlier`), it finds its leads there: it puts them where the file wants them, whatever was changed meanwhile, and is no second
 * import unless it made somebody.
 */
async function importAll(
  ctx: ToolContext,
  tx: Tx,
  request: Request,
  { leads, problems, notes }: ReadFile,
  earlier?: Answer,
): Promise<Answer> {
  await requireTargets(tx, request);
  await lockLeads(tx, ctx.workspaceId);
  const erased = await erasedAmong(tx, ctx.workspaceId, leads);
  const rows = leads.filter((lead) => !erased.has(lead));
  const plan = planImport(rows, await findExisting(tx, ctx.workspaceId, rows), request.onDuplicate);
  step(ctx, 2, 'compared with the leads that are there');
  const refused = [...erased].map((lead) => ({ row: lead.line, field: null, message: ERASED }));
  const all = [...problems, ...refused, ...plan.problems].sort((a, b) => a.row - b.row);
  const importId = ctx.ids.uuid();
  await write(ctx, tx, request, plan);
  step(ctx, 3, 'leads written');
  await markScoresStale(tx, ctx.workspaceId);
  if (earlier && plan.create.length === 0) return earlier;
  const suppressed = await countSuppressed(ctx, tx, request, plan.leadIds);
  const skipped = all.length;
  const errors = [...notes, ...all].slice(0, MAX_ERRORS);
  await record(ctx, tx, request, importId, plan, { skipped, suppressed, errors });
  step(ctx, STEPS, 'done');
  return {
    importId,
    status: 'completed',
    created: plan.create.length,
    updated: plan.merge.length,
    skipped,
    suppressed,
    errors,
  };
}

type Answer = {
  importId: string;
  status: string;
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  errors: Problem[];
};

async function requireTargets(tx: Tx, request: Request): Promise<void> {
  if (request.campaignId !== undefined) await requireCampaign(tx, request.campaignId);
  if (request.leadListId === undefined) return;
  const list = isUuid(request.leadListId)
    ? await tx.row<{ type: string }>('select type from lead_list where id = $1 and deleted_at is null', [
        request.leadListId,
      ])
    : undefined;
  if (!list) throw notFound('leadList', request.leadListId);
  if (list.type === 'query') throw wrongState('A query list has no manual members', 'svc_update_lead_list');
}

async function write(ctx: ToolContext, tx: Tx, request: Request, plan: ImportPlan): Promise<void> {
  const { workspaceId } = ctx;
  const now = ctx.clocks.product.now();
  await storePlan(tx, plan, {
    workspaceId,
    onDuplicate: request.onDuplicate,
    source: request.sourceNote ?? 'csv import',
    now,
    progress: (done, total) => ctx.progress(done, total, 'leads written'),
  });
  const full = await tagLeads(tx, workspaceId, plan.leadIds, request.tags ?? []);
  if (full !== undefined)
    throw invalidInput('tags', `lead "${full}" would have more than ${MOST_TAGS} tags; nothing was imported`);
  if (request.leadListId !== undefined) await addMembers(tx, workspaceId, request.leadListId, plan.leadIds, now);
  if (request.campaignId !== undefined) await attachToCampaign(tx, workspaceId, request.campaignId, plan.leadIds, now);
  await refreshLists(tx, workspaceId, now);
  // A list, or a query list that the leads match, may feed a workflow.
  await wakeIfWorking(tx, workspaceId, now, 'leads imported');
}

/** Suppressed persons are imported, so that they are recognised, and never contacted. */
async function countSuppressed(ctx: ToolContext, tx: Tx, request: Request, leadIds: string[]): Promise<number> {
  const row = await tx.row<{ count: number }>(
    'select count(distinct lead_id)::int as count from app.suppressed_leads($1, $2, $3, $4)',
    [ctx.workspaceId, request.campaignId ?? null, leadIds, ctx.clocks.product.now()],
  );
  return row?.count ?? 0;
}

async function record(
  ctx: ToolContext,
  tx: Tx,
  request: Request,
  importId: string,
  plan: ImportPlan,
  { skipped, suppressed, errors }: Pick<Answer, 'skipped' | 'suppressed' | 'errors'>,
): Promise<void> {
  await recordImport(tx, {
    id: importId,
    workspaceId: ctx.workspaceId,
    keyId: ctx.caller.keyId,
    total: plan.create.length + plan.merge.length + skipped,
    created: plan.create.length,
    updated: plan.merge.length,
    skipped,
    suppressed,
    errors: errors.slice(0, MAX_KEPT).map(withoutCell),
    sourceNote: request.sourceNote ?? null,
    now: ctx.clocks.product.now(),
  });
}
