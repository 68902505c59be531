import {
  companyOfNews,
  type NamedNews,
  namedNews,
  newsKey,
  type SourceText,
} from '../../domain/signals/company-news.ts';
import type { FeedItem, PageLine, SourceContent } from '../../domain/signals/source-item.ts';
import { isAlwaysChanging, judgeSite } from '../../domain/watches/site-change.ts';
import { type FoundSignal, keepSignals } from '../../store/signals/keep-signals.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import { companiesCalled, type KnownCompany } from '../../store/signals/signal-companies.ts';
import {
  lockSource,
  noteRead,
  noteSourceFault,
  type SignalSource,
  type SourceState,
  shownBefore,
} from '../../store/signals/signal-sources.ts';
import { watchHash } from '../watches/watch-hash.ts';
import { MOST_EXCERPT, MOST_TITLE } from './new-post.ts';
import type { SourceScan } from './scan-sources.ts';
import type { ScheduleContext } from './schedule-handler.ts';

const DAY_MS = 86_400_000;
/** Characters of an item of which nobody writes the same twice by chance. */
const TELLING = 40;

/** What a look came to: new signals of each type, news of companies that nobody here knows, and what people should know. */
export interface KeptSource {
  result: 'read' | 'failed';
  found: Partial<Record<FoundSignal['type'], number>>;
  unknown: number;
  note: string | null;
}

/** What a source says that it did not say before, and what the next look compares with. */
interface News {
  texts: SourceText[];
  state: SourceState;
  items: string[];
  note: string | null;
}

/**
 * Keeps what a feed or a page showed: news of companies that the workspace knows, each under what happened, and what the next look compares
 * with; in one transaction, so that a look that was not kept is made again.
 */
export async function keepSource(
  context: ScheduleContext,
  agent: SignalAgent,
  scan: Extract<SourceScan, { kind: 'source' }>,
): Promise<KeptSource> {
  const { tx, now } = context;
  const { look } = scan;
  const source = await lockSource(tx, scan.source.id);
  if (!source) return { result: 'failed', found: {}, unknown: 0, note: null };
  if (look.kind === 'blocked') {
    await noteSourceFault(tx, source.id, look.why, now);
    return { result: 'failed', found: {}, unknown: 0, note: `${new URL(source.url).hostname}: ${look.why}` };
  }
  const news = look.kind === 'feed' ? await newOfFeed(context, source, look.items) : newOfSite(source, look, now);
  const kept = await keepNews(context, source, namedNews(news.texts, { types: agent.signalTypes, now }));
  await noteRead(tx, source, { state: news.state, items: news.items, now });
  return { ...kept, result: 'read', note: news.note };
}

/** Items that the feed shows for the first time: what one of their keys was seen under before is not new, whatever else changed. */
async function newOfFeed(
  { tx, now }: ScheduleContext,
  source: SignalSource,
  items: readonly FeedItem[],
): Promise<News> {
  const keyed = items.map((item) => ({ item, keys: itemKeys(item) }));
  const all = keyed.flatMap(({ keys }) => keys);
  const seen = await shownBefore(tx, source.id, [...new Set(all)]);
  const fresh = keyed.filter(({ keys }) => !keys.some((key) => seen.has(key)));
  const first = source.readAt === null;
  const texts = fresh.flatMap(({ item }): SourceText[] => {
    const dated = item.publishedAt !== null && item.publishedAt < now + DAY_MS ? item.publishedAt : null;
    // What stood in a feed at the first look, without a date that can be believed, may be of any time.
    if (dated === null && first) return [];
    return [{ text: `${item.title}\n${item.text}`, url: item.url, at: Math.min(dated ?? now, now) }];
  });
  return { texts, state: {}, items: all, note: null };
}

/** By what an item is known: its id, and what it says; a short one says the same twice, and is told by its address and date too. */
function itemKeys({ id, title, text, url, publishedAt }: FeedItem): string[] {
  const long = title.length + text.length >= TELLING;
  const says = long ? watchHash('says', title, text) : watchHash('says', title, text, url, publishedAt ?? 0);
  return id === '' ? [says] : [watchHash('id', id), says];
}

/** Lines that a page says since it changed, which two looks in a row have to show. */
function newOfSite({ state, url }: SignalSource, look: Extract<SourceContent, { kind: 'site' }>, now: number): News {
  const seen = { hash: watchHash('site', look.text), length: look.text.length };
  const verdict = judgeSite(state.site ?? null, seen);
  if (verdict.kind === 'partial') return { texts: [], state, items: [], note: null };
  const note = isAlwaysChanging(verdict.state)
    ? `alwaysChanging: ${new URL(url).hostname} says something else at each look`
    : null;
  if (verdict.kind === 'same' || verdict.kind === 'waits')
    return { texts: [], state: { ...state, site: verdict.state }, items: [], note };
  const known = new Set(state.lines ?? []);
  const lines = look.lines.map(lineHash);
  const after = { site: verdict.state, lines: [...new Set(lines)] };
  if (verdict.kind === 'baseline') return { texts: [], state: after, items: [], note };
  const fresh = look.lines.filter((_, place) => !known.has(lines[place] ?? ''));
  const text = fresh.map((line) => line.said).join('\n');
  return { texts: [{ text, url, at: now }], state: after, items: [], note };
}

function lineHash({ plain }: PageLine): string {
  return watchHash(plain).slice(0, 12);
}

async function keepNews(
  { tx, run, now, newId }: ScheduleContext,
  source: SignalSource,
  news: readonly NamedNews[],
): Promise<Pick<KeptSource, 'found' | 'unknown'>> {
  const { workspaceId } = run;
  const keys = [...new Set(news.flatMap((one) => one.keys))];
  const known = news.length === 0 ? [] : await companiesCalled(tx, workspaceId, { keys, companyId: source.companyId });
  const author = known.find((one) => one.companyId === source.companyId);
  const signals = news.flatMap((one): FoundSignal[] => {
    const company = companyOfNews(one, known, author);
    return company ? [signalOf(one, company, source, newId())] : [];
  });
  const made = new Set(await keepSignals(tx, workspaceId, signals, now));
  const found: KeptSource['found'] = {};
  for (const { id, type } of signals) if (made.has(id)) found[type] = (found[type] ?? 0) + 1;
  return { found, unknown: news.length - signals.length };
}

function signalOf(news: NamedNews, company: KnownCompany, source: SignalSource, id: string): FoundSignal {
  const { type, evidence, at, expiresAt } = news;
  return {
    id,
    key: newsKey(news, company.companyId),
    type,
    leadId: null,
    companyId: company.companyId,
    title: evidence.slice(0, MOST_TITLE),
    occurredAt: at,
    expiresAt,
    evidence: [{ url: news.url || source.url, excerpt: evidence.slice(0, MOST_EXCERPT) }],
  };
}
