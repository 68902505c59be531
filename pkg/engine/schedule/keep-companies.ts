import { DEFAULT_SIGNAL_WEIGHTS } from '../../domain/signal-score.ts';
import { newsKey } from '../../domain/signals/company-news.ts';
import { isGrowth } from '../../domain/watches/watch-state.ts';
import { type FoundSignal, keepSignals } from '../../store/signals/keep-signals.ts';
import { noteHeadcount } from '../../store/signals/signal-companies.ts';
import { MOST_TITLE } from './new-post.ts';
import type { CompanyLook } from './scan-companies.ts';
import type { ScheduleContext } from './schedule-handler.ts';

const WINDOW_MS = DEFAULT_SIGNAL_WEIGHTS.headcount_growth.windowDays * 86_400_000;

/**
 * Keeps how many people companies have: growth by a tenth, and by five at least, is a signal of the quarter. The first look is what the next
 * ones compare with; small steps add up until they are growth.
 * @returns the new signals
 */
export async function keepCompanies(
  { tx, run, now, newId }: ScheduleContext,
  looks: readonly CompanyLook[],
): Promise<number> {
  const found = looks.flatMap((look) => growthOf(look, now, newId()) ?? []);
  for (const { company, page } of looks) {
    const { companyId, headcount: before } = company;
    const after = page?.headcount ?? null;
    const counts = after !== null && (before === null || isGrowth(before, after));
    await noteHeadcount(tx, run.workspaceId, { companyId, headcount: counts ? after : null, now });
  }
  return (await keepSignals(tx, run.workspaceId, found, now)).length;
}

function growthOf({ company, page }: CompanyLook, now: number, id: string): FoundSignal | undefined {
  const { companyId, headcount: before, name, profileUrl } = company;
  const after = page?.headcount ?? null;
  if (before === null || after === null || after <= before || !isGrowth(before, after)) return undefined;
  const says = `${page?.name || name} has ${after} people, before ${before}`;
  return {
    id,
    key: newsKey({ type: 'headcount_growth', round: '', at: now }, companyId),
    type: 'headcount_growth',
    leadId: null,
    companyId,
    title: says.slice(0, MOST_TITLE),
    occurredAt: now,
    expiresAt: now + WINDOW_MS,
    evidence: [{ url: profileUrl, excerpt: says }],
  };
}
