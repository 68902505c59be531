import { z } from 'zod';
import { creditsFor } from '../../domain/credits.ts';
import { readCompanyDomain } from '../../domain/identity/domain.ts';
import type { Tx } from '../../postgres/database.ts';
import { companyAtDomain } from '../../store/enrichment/subjects.ts';
import { queueJob, statusOfJob } from '../../store/jobs/background-jobs.ts';
import { requireCompany } from '../companies/company-row.ts';
import { invalidInput, notFound } from '../errors.ts';
import { holdFor } from '../idempotency/credit-hold.ts';
import { naturalKeyParam } from '../key-params.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { enrichCompanyHandler } from './enrich-handler.ts';
import { enrichWork } from './enrich-work.ts';
import { requireProvider } from './require-provider.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  companyId: z.string().min(1).optional(),
  domain: z.string().max(253).optional(),
  estimateOnly: z.boolean().default(false).describe('Return the credit estimate and do nothing.'),
  maxCredits: z.int().min(0).optional().describe('Refuse when the estimate is above this.'),
  idempotencyKey: naturalKeyParam,
});
type Request = z.output<typeof input>;

const output = z.object({ enrichmentJobId: z.string(), companyId: z.string(), estimatedCredits: z.number() });
type Answer = z.output<typeof output>;

export const enrichCompany = tool({
  name: 'svc_enrich_company',
  domain: 'Enrichment',
  title: 'Enrich company',
  description:
    'Refreshes firmographics, funding and headcount of one company; use before account-level decisions. Next: svc_get_company.',
  example: { input: { companyId: '$companyId' }, other: { companyId: '$companyId', maxCredits: 5 } },
  scope: 'leads:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input,
  output,
  async run(ctx, request) {
    if ((request.companyId === undefined) === (request.domain === undefined)) {
      throw invalidInput('companyId', 'give either companyId or domain');
    }
    await requireProvider(ctx, ctx.workspaceId);
    if (request.estimateOnly) {
      const companyId = await ctx.tx((tx) => companyOf(ctx, tx, request));
      return { enrichmentJobId: '', companyId, estimatedCredits: creditsFor('company_enrich', 1) };
    }
    return ctx.repeatable<Answer>(ctx.workspaceId, {
      // What failed is queued anew.
      work: async (tx, earlier) =>
        earlier && (await statusOfJob(tx, earlier.enrichmentJobId)) !== 'failed' ? earlier : queue(ctx, tx, request),
      did: () => true,
    });
  },
});

/** @throws UserError not found, or no domain */
async function companyOf(ctx: ToolContext, tx: Tx, { companyId, domain }: Request): Promise<string> {
  if (companyId !== undefined) return (await requireCompany(tx, ctx.workspaceId, companyId)).id;
  const { value, note } = readCompanyDomain(domain ?? '');
  if (value === null) throw invalidInput('domain', note);
  const found = await companyAtDomain(tx, ctx.workspaceId, value);
  if (found === null) throw notFound('company', value);
  return found;
}

async function queue(ctx: ToolContext, tx: Tx, request: Request): Promise<Answer> {
  const { workspaceId } = ctx;
  const companyId = await companyOf(ctx, tx, request);
  const estimate = creditsFor('company_enrich', 1);
  const jobId = ctx.ids.uuid();
  const needed = { workspaceId, action: 'company_enrich', estimate, maxCredits: request.maxCredits, job: jobId };
  const { id: holdId } = await holdFor(ctx, tx, needed);
  const work = enrichWork.parse({ open: [{ id: companyId }], total: 1 });
  const now = ctx.clocks.product.now();
  await queueJob(tx, { id: jobId, workspaceId, kind: enrichCompanyHandler.kind, accountId: null, holdId, work, now });
  return { enrichmentJobId: jobId, companyId, estimatedCredits: estimate };
}
