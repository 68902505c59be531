import { z } from 'zod';
import { exclusionValue, STORED_KINDS } from '../../domain/exclusion-value.ts';
import { CADENCES, FINDING_KINDS, type FindingKind, PAGE_KINDS, SITE_KINDS } from '../../domain/watches/watch-state.ts';
import { companyPageId } from '../../domain/watches/watched-search.ts';
import type { Tx } from '../../postgres/database.ts';
import { exclude } from '../../store/suppression/exclude.ts';
import { readWatch } from '../../store/watches/watches.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput } from '../errors.ts';
import { makeWatch } from '../search-watches/watch-schedule.ts';
import { requireRoom } from '../signal-exclusions/exclusion-effect.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  name: z.string().min(1).max(200).describe('The company, as it calls itself.'),
  profileUrl: z.url().max(500).optional().describe('Its page: https://www.linkedin.com/company/…'),
  domain: z.string().max(253).optional(),
  kinds: z
    .array(z.enum(FINDING_KINDS))
    .optional()
    .describe('Absent: all that profileUrl and domain show. No source tells of funding yet.'),
  cadence: z.enum(CADENCES).default('daily'),
  excludeFromOutreach: z
    .boolean()
    .default(true)
    .describe("Also adds an exclusion for the competitor's staff; it outlives the watch."),
  monthlyCreditLimit: z.int().min(0).max(100_000).optional(),
});
type Request = z.output<typeof input>;

export const createCompetitorWatch = tool({
  name: 'svc_create_competitor_watch',
  domain: 'Competitors',
  title: 'Create competitor watch',
  description: 'Starts watching a competitor; every check bills its scraping. Next: svc_get_competitor_watch.',
  example: {
    input: { name: 'Rivalry Robots', profileUrl: 'https://www.linkedin.com/company/rivalry-robots' },
    keep: { competitorWatchId: 'competitorWatchId' },
  },
  scope: 'competitors:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'param',
  input,
  output: z.object({ competitorWatchId: z.string(), status: z.string(), nextCheckAt: z.string() }),
  stands: async (tx, { competitorWatchId }) => (await readWatch(tx, competitorWatchId)) !== undefined,
  async run(ctx, request) {
    const now = ctx.clocks.product.now();
    const { workspaceId } = ctx;
    const { profileUrl, domain } = sourcesOf(request);
    const findingKinds = kindsOf(request, { page: profileUrl !== null, site: domain !== null });
    return ctx.create(workspaceId, async (tx) => {
      if (request.excludeFromOutreach) await excludeStaff(ctx, tx, request.name, domain);
      const id = ctx.ids.uuid();
      const nextFor = await makeWatch(tx, {
        id,
        workspaceId,
        kind: 'competitor',
        name: request.name,
        cadence: request.cadence,
        profileUrl,
        domain,
        findingKinds,
        query: null,
        searchUrl: null,
        leadListId: null,
        monthlyCreditLimit: request.monthlyCreditLimit ?? null,
        now,
      });
      return { competitorWatchId: id, status: 'active', nextCheckAt: iso(nextFor) };
    });
  },
});

/** Its page and its site in their one form. @throws UserError */
function sourcesOf({ profileUrl, domain }: Request): { profileUrl: string | null; domain: string | null } {
  if (profileUrl === undefined && (domain ?? '') === '')
    throw invalidInput('profileUrl', 'give profileUrl, domain or both');
  const page = profileUrl === undefined ? null : companyPageId(profileUrl);
  if (profileUrl !== undefined && page === null)
    throw invalidInput('profileUrl', 'is no page of a company such as https://www.linkedin.com/company/acme');
  const site = (domain ?? '') === '' ? null : exclusionValue('domain', domain ?? '');
  if (site !== null && 'refused' in site) throw invalidInput('domain', site.refused);
  return {
    profileUrl: page === null ? null : `https://www.linkedin.com/company/${encodeURIComponent(page)}`,
    domain: site === null ? null : site.value,
  };
}

/** What it looks for. @throws UserError: what was asked for is shown by nothing that was given */
function kindsOf({ kinds }: Request, has: { page: boolean; site: boolean }): FindingKind[] {
  const shown = [...(has.page ? PAGE_KINDS : []), ...(has.site ? SITE_KINDS : [])];
  if (kinds === undefined || kinds.length === 0) return shown;
  const page = kinds.find((kind) => PAGE_KINDS.includes(kind));
  if (page !== undefined && !has.page) throw invalidInput('kinds', `${page} is read from profileUrl, which is missing`);
  const site = kinds.find((kind) => SITE_KINDS.includes(kind));
  if (site !== undefined && !has.site) throw invalidInput('kinds', `${site} is read from domain, which is missing`);
  if (kinds.every((kind) => kind === 'funding'))
    throw invalidInput('kinds', 'no source tells of funding yet: name another kind beside it');
  return [...new Set(kinds)];
}

/** Nobody of the competitor is contacted: neither by the company's name nor at its domain. */
async function excludeStaff(ctx: ToolContext, tx: Tx, name: string, domain: string | null): Promise<void> {
  const now = ctx.clocks.product.now();
  const company = exclusionValue('company', name);
  if ('refused' in company)
    throw invalidInput(
      'name',
      `${company.refused}, so its staff can not be excluded; excludeFromOutreach false leaves that out`,
    );
  const reason = `competitor ${name}`.slice(0, 500);
  const entries = [
    { kind: STORED_KINDS.company, value: company.value, reason },
    ...(domain === null ? [] : [{ kind: STORED_KINDS.domain, value: domain, reason }]),
  ];
  await requireRoom(tx, ctx.workspaceId, entries, now);
  await exclude(tx, ctx.ids, {
    workspaceId: ctx.workspaceId,
    entries,
    source: 'competitor',
    appliesTo: 'all_outreach',
    signalAgentId: null,
    expiresAt: null,
    by: actorOf(ctx),
    now,
    dryRun: false,
  });
}
