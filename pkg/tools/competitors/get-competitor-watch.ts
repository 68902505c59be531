import { z } from 'zod';
import { FINDING_KINDS } from '../../domain/watches/watch-state.ts';
import { excludedLeads, findingsOf, newFindings } from '../../store/watches/watch-findings.ts';
import { creditsOfMonth, monthOf } from '../../store/watches/watch-month.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import {
  competitorOf,
  competitorRecord,
  FINDING_FORM,
  findingOf,
  listedFinding,
  requireCompetitor,
} from './competitor-row.ts';

export const getCompetitorWatch = tool({
  name: 'svc_get_competitor_watch',
  domain: 'Competitors',
  title: 'Get competitor watch',
  description:
    'Reads one watch and a page of its findings (posts, engagers, hires, funding, site changes). Next: svc_queue_leads with the engagers.',
  example: { input: { competitorWatchId: '$competitorWatchId' } },
  scope: 'competitors:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    competitorWatchId: z.string().min(1),
    kinds: z.array(z.enum(FINDING_KINDS)).optional(),
    since: dateTime.optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({
    competitorWatch: competitorRecord,
    findings: z.array(listedFinding),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    const shape = shaper(FINDING_FORM, { detail: input.detail });
    return ctx.tx(async (tx) => {
      const watch = await requireCompetitor(tx, input.competitorWatchId);
      // Posts are kept for the sake of their engagers too: what nobody asked for is not shown.
      const kinds = (input.kinds ?? watch.findingKinds).filter((kind) => watch.findingKinds.includes(kind));
      const since = input.since === undefined ? null : Date.parse(input.since);
      const of = { watchId: watch.id, kinds, since };
      const page = await pageOf(
        ctx,
        'svc_get_competitor_watch',
        input,
        of,
        (after, limit) => findingsOf(tx, of, { after, limit }),
        (row) => [row.at, row.id],
      );
      const leadIds = page.rows.flatMap((row) => row.leadId ?? []);
      const excluded = await excludedLeads(tx, watch.workspaceId, leadIds, now);
      const credits = await creditsOfMonth(tx, [watch.id], monthOf(now, watch.timezone).month);
      const findingsNew = (await newFindings(tx, [watch.id])).get(watch.id) ?? 0;
      return {
        competitorWatch: competitorOf(watch, { findingsNew, credits: credits.get(watch.id) ?? 0 }),
        findings: page.rows.map((row) => ({ ...shape(findingOf(row, excluded)), findingId: row.id })),
        nextCursor: page.nextCursor,
      };
    });
  },
});
