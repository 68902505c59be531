import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { CADENCES, FINDING_KINDS } from '../../domain/watches/watch-state.ts';
import type { Tx } from '../../postgres/database.ts';
import type { Finding } from '../../store/watches/watch-findings.ts';
import { lockWatch, readWatch, type Watch } from '../../store/watches/watches.ts';
import { type CompactForm, cut } from '../compact.ts';
import { notFound } from '../errors.ts';
import { pauseReasonOf } from '../search-watches/search-watch-row.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record CompetitorWatch. */
export const competitorRecord = z.object({
  competitorWatchId: z.string(),
  name: z.string(),
  profileUrl: z.string().nullable(),
  domain: z.string().nullable(),
  kinds: z.array(z.enum(FINDING_KINDS)),
  cadence: z.enum(CADENCES),
  status: z.enum(['active', 'paused']),
  pauseReason: z.string().nullable(),
  findingsNew: z.number().describe('Those of the last check.'),
  lastCheckedAt: z.string().nullable(),
  lastCheck: z
    .object({ found: z.number(), baseline: z.number(), excluded: z.number(), notes: z.array(z.string()) })
    .nullable(),
  gap: z
    .object({ from: z.string(), to: z.string() })
    .nullable()
    .describe('What the last check could not read: there was more than one check reads.'),
  nextCheckAt: z.string().nullable(),
  creditsThisMonth: z.number(),
  monthlyCreditLimit: z.number().nullable(),
});

/** Among others: as much of it as the caller asked for. */
export const listedCompetitor = competitorRecord.partial().required({ competitorWatchId: true });

export const COMPETITOR_FORM: CompactForm = {
  id: 'competitorWatchId',
  known: Object.keys(competitorRecord.shape),
  kept: ['name', 'kinds', 'cadence', 'status', 'pauseReason', 'findingsNew', 'lastCheckedAt', 'nextCheckAt'],
};

/** Catalog record CompetitorFinding. */
export const findingRecord = z.object({
  findingId: z.string(),
  kind: z.enum(FINDING_KINDS),
  at: z.string(),
  title: z.string(),
  url: z.string(),
  people: z.array(
    z.object({ name: z.string(), title: z.string(), profileUrl: z.string(), leadId: z.string().nullable() }),
  ),
});

/** Among others: as much of it as the caller asked for. */
export const listedFinding = findingRecord
  .partial()
  .required({ findingId: true })
  .extend({
    people: z.array(findingRecord.shape.people.element.partial()).optional(),
  });

/** What happened and with whom; addresses are in the full one. */
export const FINDING_FORM: CompactForm = {
  id: 'findingId',
  known: Object.keys(findingRecord.shape),
  kept: ['kind', 'at', 'title', 'people'],
  short: {
    title: (title: string) => cut(title, 50),
    people: (people: z.input<typeof findingRecord>['people']) =>
      people.map(({ name, title, leadId }) => ({ name: cut(name, 30), title: cut(title, 30), leadId })),
  },
};

/** Reads a watch of a competitor under the caller's rights. @throws UserError not found */
export async function requireCompetitor(tx: Tx, competitorWatchId: string, lock = false): Promise<Watch> {
  const watch = isUuid(competitorWatchId) ? await (lock ? lockWatch : readWatch)(tx, competitorWatchId) : undefined;
  if (watch?.kind !== 'competitor') throw notFound('competitorWatch', competitorWatchId);
  return watch;
}

/** The record of a watch. */
export function competitorOf(
  watch: Watch,
  { findingsNew, credits }: { findingsNew: number; credits: number },
): z.input<typeof competitorRecord> {
  const pauseReason = pauseReasonOf(watch);
  const { gap, last } = watch.state;
  return {
    competitorWatchId: watch.id,
    name: watch.name,
    profileUrl: watch.profileUrl,
    domain: watch.domain,
    kinds: [...watch.findingKinds],
    cadence: watch.cadence,
    status: pauseReason === null ? 'active' : 'paused',
    pauseReason,
    findingsNew,
    lastCheckedAt: isoOrNull(watch.lastCheckedAt),
    lastCheck: last
      ? { found: last.found, baseline: last.baseline, excluded: last.excluded, notes: [...last.notes] }
      : null,
    gap: gap ? { from: iso(gap.from), to: iso(gap.to) } : null,
    nextCheckAt: isoOrNull(watch.nextFor),
    creditsThisMonth: credits,
    monthlyCreditLimit: watch.monthlyCreditLimit,
  };
}

/** The record of a finding; who was excluded since is not offered. */
export function findingOf(finding: Finding, excluded: ReadonlySet<string>): z.input<typeof findingRecord> {
  const { leadId } = finding;
  const offered = leadId !== null && !excluded.has(leadId);
  return {
    findingId: finding.id,
    kind: finding.kind as z.input<typeof findingRecord>['kind'],
    at: iso(finding.at),
    title: finding.title,
    url: finding.url,
    people: offered ? [{ name: finding.name, title: finding.jobTitle, profileUrl: finding.profileUrl, leadId }] : [],
  };
}
