import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { creditsFor } from '../../domain/credits.ts';
import { readProfile } from '../../domain/identity/profile.ts';
import type { Tx } from '../../postgres/database.ts';
import { tryLock } from '../../postgres/taken-lock.ts';
import { queueJob, statusOfJob } from '../../store/jobs/background-jobs.ts';
import { addMembers, attachToCampaign } from '../../store/leads/imports.ts';
import { knownLeads, queuedProfiles, queueItems, suppressedProfiles } from '../../store/leads/lead-scrapes.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { invalidInput, notFound, wrongState } from '../errors.ts';
import { foundIds } from '../found-ids.ts';
import { holdFor, requireWithinMax } from '../idempotency/credit-hold.ts';
import { beginJob } from '../jobs/run-job.ts';
import { naturalKeyParam } from '../key-params.ts';
import { requireCampaignOf, requireList } from '../lead-lists/list-row.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { planScrape, type QueueSkip, type ScrapePlan } from './scrape/plan-scrape.ts';
import { scrapeHandler } from './scrape/scrape-handler.ts';
import { scrapeWork } from './scrape/scrape-work.ts';

const DAY_MS = 86_400_000;
/** Steps before the call answers; a server goes on with what is left. */
const STEPS_AT_ONCE = 3;
/** What the caller is told while another call queues profiles all the time. */
const QUEUED_BY_ANOTHER =
  'Another call queues leads of this workspace at this moment; nothing was done. Repeat this call in a few seconds.';

const input = z.strictObject({
  workspaceId: workspaceParam,
  profileUrls: z
    .array(z.string().max(500).meta({ format: 'uri' }))
    .max(100)
    .optional(),
  leadIds: z.array(z.string()).max(100).optional(),
  leadListId: z.string().min(1).optional(),
  campaignId: z.string().min(1).optional(),
  refreshOlderThanDays: z.int().min(0).max(365).default(30),
  estimateOnly: z.boolean().default(false).describe('Return the credit estimate and do nothing.'),
  maxCredits: z.int().min(0).optional().describe('Refuse when the estimate is above this.'),
  idempotencyKey: naturalKeyParam,
});
type Request = z.output<typeof input>;

/** Catalog record QueueSkip. */
const queueSkip = z.object({
  profileUrl: z.string().optional(),
  leadId: z.string().optional(),
  reason: z.enum(['duplicate', 'fresh', 'suppressed', 'invalid']),
});

export const queueLeads = tool({
  name: 'svc_queue_leads',
  domain: 'Leads',
  title: 'Queue leads for sourcing',
  description:
    'Queues profile URLs or existing leads for scraping and enrichment in the background; duplicates of queued or fresh leads are skipped uncharged. Next: svc_search_leads.',
  example: {
    input: { profileUrls: ['https://www.linkedin.com/in/dana-north'], leadListId: '$leadListId' },
    other: { profileUrls: ['https://www.linkedin.com/in/other-person'] },
  },
  scope: 'leads:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input,
  output: z.object({
    enrichmentJobId: z.string(),
    queued: z.number(),
    skipped: z.array(queueSkip),
    estimatedCredits: z.number(),
    notFound: z.array(z.string()).describe('leadIds that are not there; the others were queued.'),
  }),
  async run(ctx, request) {
    if (!request.profileUrls?.length && !request.leadIds?.length) {
      throw invalidInput('profileUrls', 'give profileUrls or leadIds');
    }
    if (request.estimateOnly) {
      const { items, skipped, missing } = await ctx.tx((tx) => plan(ctx, tx, request));
      return answer('', items.length, skipped, missing);
    }
    const queued = await ctx.repeatable<Answer>(ctx.workspaceId, {
      // What failed is queued anew.
      work: async (tx, earlier) =>
        earlier && (await statusOfJob(tx, earlier.enrichmentJobId)) !== 'failed' ? earlier : queue(ctx, tx, request),
      did: (answer) => answer.queued > 0,
    });
    if (queued.queued > 0) await beginJob({ ...ctx, tx: ctx.unrecorded }, queued.enrichmentJobId, STEPS_AT_ONCE);
    // A version before kept fewer fields.
    return { ...queued, notFound: queued.notFound ?? [] };
  },
});

interface Answer {
  enrichmentJobId: string;
  queued: number;
  skipped: QueueSkip[];
  estimatedCredits: number;
  notFound: string[];
}

function answer(enrichmentJobId: string, queued: number, skipped: QueueSkip[], missing: string[]): Answer {
  const estimatedCredits = creditsFor('lead_scrape', queued);
  return { enrichmentJobId, queued, skipped, estimatedCredits, notFound: missing };
}

/** Everything that the job needs, in one transaction: a refusal leaves nothing behind. */
async function queue(ctx: ToolContext, tx: Tx, request: Request): Promise<Answer> {
  const now = ctx.clocks.product.now();
  const { workspaceId } = ctx;
  // Two calls at once must not both queue a profile.
  await tryLock(tx, workspaceId, 31, QUEUED_BY_ANOTHER);
  const { items, skipped, leadIds, missing } = await plan(ctx, tx, request);
  const jobId = ctx.ids.uuid();
  const result = answer(jobId, items.length, skipped, missing);
  const needed = {
    workspaceId,
    action: 'lead_scrape',
    estimate: result.estimatedCredits,
    campaignId: request.campaignId,
    maxCredits: request.maxCredits,
    job: jobId,
  };
  requireWithinMax(needed);
  await place(tx, workspaceId, request, leadIds, now);
  if (items.length === 0) return result;
  await requireAccount(tx, workspaceId);
  const { id: holdId } = await holdFor(ctx, tx, needed);
  const work = scrapeWork.parse({
    leadListId: request.leadListId ?? null,
    campaignId: request.campaignId ?? null,
    total: items.length,
  });
  await queueJob(tx, { id: jobId, workspaceId, kind: scrapeHandler.kind, accountId: null, holdId, work, now });
  await queueItems(tx, workspaceId, jobId, items);
  return result;
}

/** Leads that are there already join list and campaign at once: a workflow may take them, and they want a score. */
async function place(
  tx: Tx,
  workspaceId: string,
  { leadListId, campaignId }: Request,
  leadIds: readonly string[],
  now: number,
): Promise<void> {
  if (leadIds.length === 0 || (leadListId === undefined && campaignId === undefined)) return;
  if (leadListId !== undefined) await addMembers(tx, workspaceId, leadListId, leadIds, now);
  if (campaignId !== undefined) await attachToCampaign(tx, workspaceId, campaignId, leadIds, now);
  await markScoresStale(tx, workspaceId);
  await wakeIfWorking(tx, workspaceId, now, 'leads placed');
}

async function requireAccount(tx: Tx, workspaceId: string): Promise<void> {
  const account = await tx.row('select 1 from account_link where workspace_id = $1 limit 1', [workspaceId]);
  if (!account) {
    throw wrongState(
      'No network account is linked to the workspace to read profiles with',
      'svc_list_network_accounts',
    );
  }
}

/** What would be read and what is skipped. @throws UserError when all leads, the list or the campaign are missing */
async function plan(ctx: ToolContext, tx: Tx, request: Request): Promise<ScrapePlan & { missing: string[] }> {
  const { workspaceId } = ctx;
  const now = ctx.clocks.product.now();
  await requireTargets(tx, workspaceId, request);
  const given = request.leadIds ?? [];
  const profileUrls = request.profileUrls ?? [];
  const named = profileUrls.flatMap((url) => readProfile(url).value?.id ?? []);
  const known = await knownLeads(tx, {
    workspaceId,
    campaignId: request.campaignId ?? null,
    leadIds: given.filter(isUuid),
    profileIds: named,
    now,
  });
  const { found: leadIds, missing } = foundIds(
    'lead',
    given,
    known.map((lead) => lead.id),
  );
  const profiles = [...new Set([...named, ...known.flatMap((lead) => lead.profileId ?? [])])];
  const freshSince = now - request.refreshOlderThanDays * DAY_MS;
  const queued = await queuedProfiles(tx, workspaceId, profiles);
  // Who must not be contacted, or was erased: nobody pays for reading them.
  const barred = await suppressedProfiles(tx, workspaceId, profiles, now);
  return { ...planScrape({ profileUrls, leadIds, known, queued, barred, freshSince }), missing };
}

async function requireTargets(tx: Tx, workspaceId: string, request: Request): Promise<void> {
  await requireCampaignOf(tx, request.campaignId, workspaceId);
  if (request.leadListId === undefined) return;
  const list = await requireList(tx, request.leadListId);
  if (list.workspace_id !== workspaceId) throw notFound('leadList', request.leadListId);
  if (list.type === 'query') throw wrongState('A query list has no manual members', 'svc_update_lead_list');
}
