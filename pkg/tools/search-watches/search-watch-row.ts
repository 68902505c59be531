import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { RisingTopic } from '../../domain/watches/rising-topics.ts';
import { CADENCES } from '../../domain/watches/watch-state.ts';
import type { Tx } from '../../postgres/database.ts';
import type { Finding } from '../../store/watches/watch-findings.ts';
import { lockWatch, type Watch } from '../../store/watches/watches.ts';
import type { CompactForm } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

const hit = z.object({
  title: z.string(),
  url: z.string(),
  author: z.string(),
  at: z.string(),
  leadId: z.string().nullable().describe('For svc_queue_leads; null: a company wrote it, or they are excluded.'),
});

/** Catalog record SearchWatch. */
export const searchWatchRecord = z.object({
  searchWatchId: z.string(),
  kind: z.enum(['topic', 'search']),
  name: z.string(),
  query: z.string().nullable(),
  searchUrl: z.string().nullable(),
  cadence: z.enum(CADENCES),
  status: z.enum(['active', 'paused']),
  pauseReason: z.string().nullable(),
  lastRunAt: z.string().nullable(),
  lastRunNotes: z.array(z.string()),
  nextRunAt: z.string().nullable(),
  creditsThisMonth: z.number(),
  monthlyCreditLimit: z.number().nullable(),
  hits: z.array(hit),
  risingTopics: z.array(
    z.object({ term: z.string(), authors: z.number(), share: z.number(), shareBefore: z.number() }),
  ),
  leadListId: z.string().nullable(),
});

/** Among others: as much of it as the caller asked for. */
export const listedSearchWatch = searchWatchRecord.partial().required({ searchWatchId: true });

export const SEARCH_WATCH_FORM: CompactForm = {
  id: 'searchWatchId',
  known: Object.keys(searchWatchRecord.shape),
  kept: [
    'kind',
    'name',
    'query',
    'status',
    'pauseReason',
    'lastRunAt',
    'nextRunAt',
    'hits',
    'risingTopics',
    'leadListId',
  ],
};

/** Locks a watch of a topic or a search under the caller's rights. @throws UserError not found */
export async function requireSearchWatch(tx: Tx, searchWatchId: string): Promise<Watch> {
  const watch = isUuid(searchWatchId) ? await lockWatch(tx, searchWatchId) : undefined;
  if (!watch || watch.kind === 'competitor') throw notFound('searchWatch', searchWatchId);
  return watch;
}

/** Why a watch does not check, for people; null: it does. */
export function pauseReasonOf(watch: Watch): string | null {
  if (!watch.enabled) return 'paused by a person';
  if (watch.pauseReason === '') return null;
  return watch.pausedUntil === null
    ? watch.pauseReason
    : `${watch.pauseReason}; it goes on at ${iso(watch.pausedUntil)}`;
}

/** The record of a watch. */
export function searchWatchOf(
  watch: Watch,
  of: { hits: readonly Finding[]; topics: readonly RisingTopic[]; credits: number; excluded: ReadonlySet<string> },
): z.input<typeof searchWatchRecord> {
  const pauseReason = pauseReasonOf(watch);
  return {
    searchWatchId: watch.id,
    kind: watch.kind === 'topic' ? 'topic' : 'search',
    name: watch.name,
    query: watch.query,
    searchUrl: watch.searchUrl,
    cadence: watch.cadence,
    status: pauseReason === null ? 'active' : 'paused',
    pauseReason,
    lastRunAt: isoOrNull(watch.lastCheckedAt),
    lastRunNotes: [...(watch.state.last?.notes ?? [])],
    nextRunAt: isoOrNull(watch.nextFor),
    creditsThisMonth: of.credits,
    monthlyCreditLimit: watch.monthlyCreditLimit,
    hits: of.hits.map((finding) => hitOf(finding, of.excluded)),
    risingTopics: of.topics.map((topic) => ({ ...topic })),
    leadListId: watch.leadListId,
  };
}

function hitOf(finding: Finding, excluded: ReadonlySet<string>): z.input<typeof hit> {
  const { leadId } = finding;
  return {
    title: finding.title,
    url: finding.url || finding.profileUrl,
    author: finding.name,
    at: iso(finding.at),
    leadId: leadId === null || excluded.has(leadId) ? null : leadId,
  };
}
