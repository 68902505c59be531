import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { ENRICH_FIELDS, enrichCredits, fieldsToAsk } from '../../domain/enrichment/enrich-fields.ts';
import type { Tx } from '../../postgres/database.ts';
import { leadsToEnrich } from '../../store/enrichment/subjects.ts';
import { queueJob, statusOfJob } from '../../store/jobs/background-jobs.ts';
import { foundIds } from '../found-ids.ts';
import { holdFor } from '../idempotency/credit-hold.ts';
import { naturalKeyParam } from '../key-params.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { enrichLeadsHandler } from './enrich-handler.ts';
import { type EnrichItem, enrichWork } from './enrich-work.ts';
import { requireProvider } from './require-provider.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  leadIds: z.array(z.string()).min(1).max(100),
  fields: z.array(z.enum(ENRICH_FIELDS)).min(1),
  refreshOlderThanDays: z
    .int()
    .min(0)
    .max(365)
    .optional()
    .describe('Default by field: email and email_verification 90, profile 60, phone 180.'),
  estimateOnly: z.boolean().default(false).describe('Return the credit estimate and do nothing.'),
  maxCredits: z.int().min(0).optional().describe('Refuse when the estimate is above this.'),
  idempotencyKey: naturalKeyParam,
});
type Request = z.output<typeof input>;

const output = z.object({
  enrichmentJobId: z.string(),
  queued: z.number(),
  skippedFresh: z.number(),
  skippedSuppressed: z.number(),
  estimatedCredits: z.number(),
  heldCredits: z.number(),
  notFound: z.array(z.string()).describe('leadIds that are not there; the others were queued.'),
});
type Answer = z.output<typeof output>;

export const enrichLeads = tool({
  name: 'svc_enrich_leads',
  domain: 'Enrichment',
  title: 'Enrich leads',
  description:
    'Fills missing fields of known leads (profile, email, phone, email verification) with a credit hold that settles only for what was found. Next: svc_get_enrichment_status.',
  example: {
    input: { leadIds: ['$leadId'], fields: ['phone'] },
    other: { leadIds: ['$leadId'], fields: ['profile'] },
    keep: { enrichmentJobId: 'enrichmentJobId' },
  },
  scope: 'leads:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input,
  output,
  async run(ctx, request) {
    await requireProvider(ctx, ctx.workspaceId);
    if (request.estimateOnly) {
      const planned = await ctx.tx((tx) => plan(ctx, tx, request));
      return answerOf('', planned, 0);
    }
    return ctx.repeatable<Answer>(ctx.workspaceId, {
      // What failed is queued anew.
      work: async (tx, earlier) =>
        earlier && (await statusOfJob(tx, earlier.enrichmentJobId)) !== 'failed' ? earlier : queue(ctx, tx, request),
      did: (answer) => answer.queued > 0,
    });
  },
});

interface Plan {
  items: EnrichItem[];
  fresh: number;
  suppressed: number;
  missing: string[];
}

/** What would be asked for, and what is skipped. @throws UserError when all leads are missing */
async function plan(ctx: ToolContext, tx: Tx, { leadIds, fields, refreshOlderThanDays }: Request): Promise<Plan> {
  const now = ctx.clocks.product.now();
  const there = await leadsToEnrich(tx, ctx.workspaceId, leadIds.filter(isUuid), now);
  const { missing } = foundIds(
    'lead',
    leadIds,
    there.map((lead) => lead.leadId),
  );
  const free = there.filter((lead) => !lead.suppressed);
  const items = free.flatMap(({ leadId, known }): EnrichItem[] => {
    const wanted = fieldsToAsk(fields, known, now, refreshOlderThanDays ?? null);
    return wanted.length > 0 ? [{ id: leadId, fields: wanted, notBefore: 0 }] : [];
  });
  return { items, fresh: free.length - items.length, suppressed: there.length - free.length, missing };
}

/** The worst case: everything is found. */
const estimateOf = ({ items }: Plan): number => items.reduce((sum, { fields }) => sum + enrichCredits(fields), 0);

function answerOf(enrichmentJobId: string, planned: Plan, heldCredits: number): Answer {
  const { items, fresh, suppressed, missing } = planned;
  return {
    enrichmentJobId,
    queued: items.length,
    skippedFresh: fresh,
    skippedSuppressed: suppressed,
    estimatedCredits: estimateOf(planned),
    heldCredits,
    notFound: missing,
  };
}

/** Job and hold in one transaction: a refusal leaves nothing behind. */
async function queue(ctx: ToolContext, tx: Tx, request: Request): Promise<Answer> {
  const { workspaceId } = ctx;
  const planned = await plan(ctx, tx, request);
  const estimate = estimateOf(planned);
  const jobId = ctx.ids.uuid();
  const needed = { workspaceId, action: 'lead_enrich', estimate, maxCredits: request.maxCredits, job: jobId };
  if (planned.items.length === 0) return answerOf('', planned, 0);
  const { id: holdId } = await holdFor(ctx, tx, needed);
  const work = enrichWork.parse({ open: planned.items, total: planned.items.length });
  const now = ctx.clocks.product.now();
  await queueJob(tx, { id: jobId, workspaceId, kind: enrichLeadsHandler.kind, accountId: null, holdId, work, now });
  return answerOf(jobId, planned, estimate);
}
